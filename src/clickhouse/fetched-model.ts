import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTemporaryFolder } from "../files/temporary-folder.js";
import type { Connection } from "./connection.js";
import { fetchModel } from "./model-store.js";

/** A lake's fitted embedder in a temporary folder, which views of several states of the lake share. */
export class FetchedModel {
  private users = 1;

  private constructor(
    /** Id of the embedder. */
    readonly model: string,
    /** Folder of its files. */
    readonly dir: string,
    private readonly removeFolder: () => Promise<void>,
  ) {}

  /** Fetches one. @throws LakeError `cluster_damaged` if the lake has not the whole of it, `cluster_*` */
  static async fetch(connection: Connection, model: string): Promise<FetchedModel> {
    const folder = await makeTemporaryFolder(tmpdir(), "mirrorlake-model-");
    const dir = join(folder.path, "model");
    try {
      await fetchModel(connection, model, dir);
    } catch (error) {
      await folder.remove();
      throw error;
    }
    return new FetchedModel(model, dir, () => folder.remove());
  }

  /** Adds a holder; pair with {@link FetchedModel.release}. */
  hold(): this {
    this.users += 1;
    return this;
  }

  /** Removes a holder; the last one removes the folder. */
  async release(): Promise<void> {
    this.users -= 1;
    if (this.users === 0) await this.removeFolder();
  }
}
