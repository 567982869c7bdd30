import { join } from "node:path";
import type { LakeQueries } from "../client/lake-queries.js";
import type { LakeClient } from "../client/open-lake.js";
import { makeSystemFolder } from "../files/system-folder.js";
import type { TemporaryFolder } from "../files/temporary-folder.js";
import type { LakeContent } from "./lake-content.js";

/**
 * A lake on disk of the content of one in memory, made when it is first needed: for SQL, exports and manifests of slices. DuckDB is
 * loaded then, not before. Lakes of one content share it.
 */
export class LakeOnDisk {
  private opened: Promise<{ readonly client: LakeClient; readonly folder: TemporaryFolder }> | undefined;
  private users = 0;

  constructor(private readonly content: LakeContent) {}

  /** Counts a lake that may need it; {@link LakeOnDisk.release} must follow. */
  hold(): void {
    this.users += 1;
  }

  /** The lake, made by the first call. */
  async client(): Promise<LakeClient> {
    this.opened ??= this.make();
    return (await this.opened).client;
  }

  /** Gives the content the manifests of its slices. */
  async describeSlices(): Promise<void> {
    const { lake } = await this.client();
    const every = { offset: 0, limit: Number.MAX_SAFE_INTEGER };
    this.content.corpus.manifests = lake.corpus.slices(every).manifests;
  }

  /** Closes and removes the lake when the last user has released it. */
  async release(): Promise<void> {
    this.users -= 1;
    const { opened } = this;
    if (this.users > 0 || opened === undefined) return;
    this.opened = undefined;
    const made = await opened.catch(() => undefined); // its caller got the error
    if (made === undefined) return;
    await made.client.close();
    await made.folder.remove();
  }

  private async make() {
    const { createLake } = await import("../ingest/create-lake.js");
    const { openLake } = await import("../client/open-lake.js");
    const { rows, options } = this.content;
    const folder = await makeSystemFolder("test-lake");
    try {
      const lake = join(folder.path, "lake");
      const clock = { now: () => Date.parse(options.capturedAt) };
      const { capturedAt, vectorModel, platforms } = options;
      await createLake(lake, rows, {
        capturedAt,
        vectorModel,
        platforms: [...platforms],
        title: "test lake",
        clock,
      });
      return { folder, client: await openLake(lake, { account: "memory", readOnly: true }) };
    } catch (error) {
      await folder.remove();
      throw error;
    }
  }
}

/** The queries of a lake on disk that the first of them opens. */
export function queriesOf(open: () => Promise<LakeClient>): LakeQueries {
  async function* streamed<T>(
    stream: (client: LakeClient) => AsyncGenerator<T, void, void>,
  ): AsyncGenerator<T, void, void> {
    yield* stream(await open());
  }
  type Sql = (text: string, params?: unknown, options?: { readonly as?: string }) => unknown;
  const sql: Sql = (text, params, options) =>
    options?.as === "batches"
      ? streamed(
          (client) => (client.sql as Sql)(text, params, options) as AsyncGenerator<unknown, void, void>,
        )
      : open().then((client) => (client.sql as Sql)(text, params, options));
  return {
    sql: sql as LakeQueries["sql"],
    sqlStream: ((...args: Parameters<LakeQueries["sqlStream"]>) =>
      streamed((client) => client.sqlStream(...args))) as LakeQueries["sqlStream"],
    arrow: (...args) => streamed((client) => client.arrow(...args)),
    export: async (...args) => (await open()).export(...args),
  };
}
