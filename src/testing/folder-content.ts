import type { LakeQueries } from "../client/lake-queries.js";
import type { LakeClient } from "../client/open-lake.js";
import { CATALOGUE } from "../contract/service/catalogue.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { makeSystemFolder } from "../files/system-folder.js";
import type { TemporaryFolder } from "../files/temporary-folder.js";
import type { LakeHandle } from "../lake/lake-handle.js";
import type { LakeView } from "../service/pipeline.js";
import { queriesOf } from "./lake-on-disk.js";
import type { TestContent } from "./test-content.js";

/**
 * Content of a lake in a folder, which is read and never written: any number of processes share it. It is open as long as a test
 * lake uses it.
 */
export class FolderContent implements TestContent {
  catalogue: readonly EndpointSpec[] = CATALOGUE;
  readonly queries: LakeQueries = queriesOf(() => this.client());
  private opened: Promise<LakeClient> | undefined;
  private temporary: TemporaryFolder | undefined;
  private users = 0;

  /**
   * @param make makes the lake in a folder, or finds it there, and returns the lake's own folder
   * @param folder where; without it in a temporary one, which is removed with the last user
   */
  constructor(
    private readonly make: (folder: string) => Promise<string>,
    private readonly folder: string | undefined,
  ) {}

  async use<T>(work: (view: LakeView) => Promise<T>): Promise<T> {
    return (await this.client()).lake.use(work);
  }

  async describeSlices(): Promise<void> {} // a lake on disk has manifests

  async onDisk(): Promise<LakeHandle> {
    return (await this.client()).lake;
  }

  /** The newest capture, epoch ms. Some user must hold it. */
  async asOfMs(): Promise<number> {
    return (await this.client()).lake.corpus.asOfMs;
  }

  async hold(): Promise<void> {
    this.users += 1;
    try {
      await this.client();
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  async release(): Promise<void> {
    this.users -= 1;
    if (this.users > 0) return;
    const { opened, temporary } = this;
    this.opened = undefined;
    this.temporary = undefined;
    const client = await opened?.catch(() => undefined); // its caller got the error
    await client?.close();
    await temporary?.remove();
  }

  private client(): Promise<LakeClient> {
    this.opened ??= this.open();
    return this.opened;
  }

  private async open(): Promise<LakeClient> {
    const { openLake } = await import("../client/open-lake.js");
    if (this.folder === undefined) this.temporary = await makeSystemFolder("test-lake");
    const path = await this.make(this.folder ?? this.temporary!.path);
    const client = await openLake(path, { account: "memory", readOnly: true });
    this.catalogue = client.service.catalogue;
    return client;
  }
}
