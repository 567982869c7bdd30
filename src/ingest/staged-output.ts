import { readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError } from "../contract/errors.js";
import { syncFolder } from "../files/durable-files.js";
import { makeFolder, removeMadeFolders, unwritableFolder } from "../files/make-folder.js";
import { asideOf, removeSetAside, replacementPrefix, restoreSetAside } from "../files/set-aside.js";
import {
  makeTemporaryFolder,
  removeAbandonedFolders,
  type TemporaryFolder,
} from "../files/temporary-folder.js";
import { AUTHOR_SALT_FILE } from "../lake/lake-paths.js";
import { refuseInLake } from "../lake/lake-slices.js";
import { REJECTS_FILE } from "./defaults.js";

/**
 * An output folder under construction: a hidden sibling of the target that is renamed to it, or removed. The next run for the
 * same target removes what a killed process left, and gives an earlier output its name back if the process was killed between the
 * two renames that replace it; so does any reader that looks for slices there.
 */
export class StagedOutput {
  private constructor(
    private readonly temporary: TemporaryFolder,
    /** Final path. */
    readonly target: string,
    private readonly replace: boolean,
    /** Topmost parent folder that was created for it. */
    private readonly madeParent: string | undefined,
  ) {}

  /**
   * Creates the folder to write to.
   * @param replace whether the output of an earlier run at `out` may be replaced
   * @throws UsageError `out_in_lake`, `out_not_empty` or `out_not_a_folder` if `out` cannot be the target, `unwritable_folder`
   */
  static async begin(out: string, replace: boolean): Promise<StagedOutput> {
    const target = resolve(out);
    await restoreSetAside(target);
    const prefix = replacementPrefix(target);
    try {
      await checkOutput(target, replace);
    } catch (error) {
      // A run that was killed once its output was in place left its lock; the next one may only learn that there is nothing to do.
      await removeAbandonedFolders(dirname(target), prefix);
      throw error;
    }
    const madeParent = await makeFolder(dirname(target));
    await removeAbandonedFolders(dirname(target), prefix);
    await removeSetAside(target);
    const temporary = await makeTemporaryFolder(dirname(target), prefix).catch((cause) => {
      throw unwritableFolder(target, cause);
    });
    return new StagedOutput(temporary, target, replace, madeParent);
  }

  /** Folder to write to. */
  get dir(): string {
    return this.temporary.path;
  }

  /** Paths of this output during the run: never input of the run itself. */
  get own(): readonly string[] {
    return [this.dir, this.target, this.temporary.lock];
  }

  /**
   * Publishes the staged folder at the target and removes an earlier output there. On failure the earlier output is in its place again,
   * and the staged folder in its own.
   * @throws UsageError `out_not_empty`, `out_not_a_folder`, `out_not_restored`; the error of the file system
   */
  async publish(): Promise<void> {
    await checkOutput(this.target, this.replace);
    await syncFolder(this.dir);
    const exists = (await stat(this.target).catch(() => undefined)) !== undefined;
    const aside = asideOf(this.dir);
    /** What undoes the renames so far, the latest first. */
    const undo: (readonly [from: string, to: string])[] = [];
    const move = async (from: string, to: string) => {
      await rename(from, to);
      undo.unshift([to, from]);
    };
    try {
      if (exists) await move(this.target, aside);
      await move(this.dir, this.target);
      await syncFolder(dirname(this.target));
    } catch (error) {
      for (const [from, to] of undo)
        await rename(from, to).catch((second: Error) => {
          throw notRestored(this.target, `${(error as Error).message}; ${second.message}`, from, error);
        });
      throw error;
    }
    if (exists) await rm(aside, { recursive: true, force: true });
    await this.temporary.remove();
  }

  /** Removes the staged folder and the parent folders that were created for it. */
  async discard(): Promise<void> {
    await this.temporary.remove();
    await removeMadeFolders(dirname(this.target), this.madeParent);
  }
}

function notRestored(target: string, why: string, at: string, cause: unknown): UsageError {
  return new UsageError("out_not_restored", `${target} was not replaced: ${why}`, {
    value: at,
    remedy: `look at ${at}, which may be the only copy of an output; rename it to ${target} to use it`,
    cause,
  });
}

/**
 * Refuses a path that cannot be the output.
 * @param replace whether the output of an earlier run may be replaced
 * @throws UsageError `out_in_lake`, `out_not_empty`, `out_not_a_folder`
 */
export async function checkOutput(target: string, replace: boolean): Promise<void> {
  await refuseInLake(target);
  const stats = await stat(target).catch(() => undefined);
  if (stats === undefined) return;
  if (!stats.isDirectory()) {
    throw new UsageError("out_not_a_folder", `${target} is not a folder`, {
      value: target,
      remedy: "name a folder that does not exist yet",
    });
  }
  const names = await readdir(target);
  if (names.length === 0) return;
  const own = new Set([REJECTS_FILE, AUTHOR_SALT_FILE]);
  const ours = names.every((name) => own.has(name) || /^[0-9a-f]{16,64}$/.test(name));
  if (replace && ours) return;
  throw new UsageError("out_not_empty", `${target} is not empty`, {
    value: target,
    remedy: ours
      ? "name another folder, or pass --replace (`replace: true`) to replace the earlier output"
      : "name another folder: this one holds files that no ingestion wrote",
  });
}
