import { join } from "node:path";
import { makeSystemFolder } from "../files/system-folder.js";
import { type OpenModel, openModel } from "../search/embed/open-model.js";
import type { Connection } from "./connection.js";
import { fetchModel } from "./model-store.js";

/**
 * A lake's fitted embedder, which views of several states of the lake share. Its files are open; their folder, a temporary one, is removed
 * as soon as they are, so that a process that is ended at any time leaves nothing.
 */
export class FetchedModel {
  private users = 1;

  private constructor(
    /** The embedder. */
    readonly opened: OpenModel,
    private readonly removeFolder: () => Promise<void>,
  ) {}

  /** Fetches one. @throws LakeError `cluster_damaged` if the lake has not the whole of it, `cluster_*`; SearchError `embedder_unreadable` */
  static async fetch(connection: Connection, model: string): Promise<FetchedModel> {
    const folder = await makeSystemFolder("model");
    try {
      const dir = join(folder.path, "model");
      await fetchModel(connection, model, dir);
      const fetched = new FetchedModel(await openModel(dir), () => folder.remove());
      // A system that keeps the names of open files has them removed when the last holder has closed them.
      await folder.remove().catch(() => {});
      return fetched;
    } catch (error) {
      await folder.remove();
      throw error;
    }
  }

  /** Adds a holder; pair with {@link FetchedModel.release}. */
  hold(): this {
    this.users += 1;
    return this;
  }

  /** Removes a holder; the last one closes the files. */
  async release(): Promise<void> {
    this.users -= 1;
    if (this.users !== 0) return;
    this.opened.vectors.close();
    await this.removeFolder();
  }
}
