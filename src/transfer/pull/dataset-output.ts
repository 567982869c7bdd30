import { constants, cp, readdir } from "node:fs/promises";
import type { PulledDataset } from "../../contract/lake/pulled-datasets.js";
import { syncTree } from "../../files/durable-files.js";
import { checkOutput, StagedOutput } from "../../ingest/staged-output.js";
import type { WrittenSlice } from "../../staging/publish-slice.js";

/** The folder that gets a copy of what a pull of a dataset made. */
export class DatasetOutput {
  private constructor(
    readonly path: string,
    private readonly replace: boolean,
    /** Roots of the slices that are there, where it may be the output of an earlier pull of the same. */
    private readonly there: ReadonlySet<string> | undefined,
  ) {}

  /**
   * Looks at the folder before anything is fetched.
   * @param last what the last pull of the dataset brought
   * @param revision what is pulled now
   * @throws UsageError `out_not_empty`, `out_not_a_folder`
   */
  static async examine(
    path: string | undefined,
    replace: boolean,
    last: PulledDataset | undefined,
    revision: string | null,
  ): Promise<DatasetOutput | undefined> {
    if (path === undefined) return undefined;
    if (!replace && last !== undefined && last.revision === revision) {
      const roots = last.slices.map(({ mirrorlake }) => mirrorlake.root);
      if (isOutputOf(await namesIn(path), roots)) {
        await checkOutput(path, true);
        return new DatasetOutput(path, false, new Set(roots));
      }
    }
    await checkOutput(path, replace);
    return new DatasetOutput(path, replace, undefined);
  }

  /** Refuses slices that are others than those that are there. @throws UsageError `out_not_empty` */
  async checkSame(slices: readonly WrittenSlice[]): Promise<void> {
    if (this.there === undefined) return;
    if (slices.length !== this.there.size || slices.some(({ root }) => !this.there!.has(root)))
      await checkOutput(this.path, false);
  }

  /** Puts a copy of a folder there by one rename, if it is not there. The copy shares no file with the lake. */
  async keep(from: string): Promise<void> {
    if (this.there !== undefined) return;
    const staged = await StagedOutput.begin(this.path, this.replace);
    try {
      await cp(from, staged.dir, { recursive: true, mode: constants.COPYFILE_FICLONE });
      await syncTree(staged.dir);
      await staged.publish();
    } catch (error) {
      await staged.discard();
      throw error;
    }
  }
}

function isOutputOf(names: readonly string[], roots: readonly string[]): boolean {
  const there = new Set(names.filter((name) => /^[0-9a-f]{64}$/.test(name)));
  return there.size === roots.length && roots.every((root) => there.has(root));
}

async function namesIn(dir: string): Promise<string[]> {
  return readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw error;
  });
}
