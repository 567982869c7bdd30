import { readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../contract/errors.js";
import { renameSynced, syncFolder } from "../files/durable-files.js";
import { makeFolder, unwritableFolder } from "../files/make-folder.js";
import {
  makeTemporaryFolder,
  removeAbandonedFolders,
  type TemporaryFolder,
} from "../files/temporary-folder.js";
import { AUTHOR_SALT_FILE } from "../lake/lake-paths.js";
import { REJECTS_FILE } from "./defaults.js";

/** What the name of an earlier output ends with while its replacement takes its place. */
const OLD = "-old";

/**
 * An output folder in the making: a hidden sibling of the final one, which becomes it by a rename, or goes. What a killed
 * process left of its own is removed by the next run for the same output.
 */
export class StagedOutput {
  private constructor(
    private readonly temporary: TemporaryFolder,
    /** Where it will be. */
    readonly target: string,
    private readonly replace: boolean,
    /** Topmost folder that had to be made for it. */
    private readonly madeParent: string | undefined,
  ) {}

  /**
   * Makes the folder to write to.
   * @param replace whether an output of an earlier run at `out` may be replaced
   * @throws UsageError `out_not_empty` or `out_not_a_folder` when `out` holds something already, `unwritable_folder`
   */
  static async begin(out: string, replace: boolean): Promise<StagedOutput> {
    const target = resolve(out);
    await checkTarget(target, replace);
    const madeParent = await makeFolder(dirname(target));
    const prefix = `.${basename(target)}.partial-`;
    await removeAbandoned(dirname(target), prefix, basename(target));
    const temporary = await makeTemporaryFolder(dirname(target), prefix).catch((cause) => {
      throw unwritableFolder(target, cause);
    });
    return new StagedOutput(temporary, target, replace, madeParent);
  }

  /** Where to write. */
  get dir(): string {
    return this.temporary.path;
  }

  /** What this output consists of while it is made: never input of the run that makes it. */
  get own(): readonly string[] {
    return [this.dir, this.target, this.temporary.lock];
  }

  /** Makes the staged folder visible at the target; of an earlier output there, nothing is left. */
  async publish(): Promise<void> {
    await checkTarget(this.target, this.replace);
    await syncFolder(this.dir);
    const there = (await stat(this.target).catch(() => undefined)) !== undefined;
    const aside = `${this.dir}${OLD}`;
    if (there) await rename(this.target, aside);
    try {
      await renameSynced(this.dir, this.target);
    } catch (error) {
      if (there) await rename(aside, this.target);
      throw error;
    }
    if (there) await rm(aside, { recursive: true, force: true });
    await this.temporary.remove();
  }

  /** Removes the staged folder and the folders that were made for it. */
  async discard(): Promise<void> {
    await this.temporary.remove();
    if (this.madeParent === undefined) return;
    for (let dir = dirname(this.target); dir.startsWith(this.madeParent); dir = dirname(dir)) {
      try {
        await rmdir(dir);
      } catch {
        // Somebody else has put something there: it is theirs now.
        return;
      }
    }
  }
}

/**
 * Removes what killed processes left. An output that one set aside (`<folder>-old`) goes where its replacement is there; without
 * that it is the only one there is.
 */
async function removeAbandoned(parent: string, prefix: string, targetName: string): Promise<void> {
  await removeAbandonedFolders(parent, prefix);
  const names = await readdir(parent);
  if (!names.includes(targetName)) return;
  for (const name of names)
    if (name.startsWith(prefix) && name.endsWith(OLD))
      await rm(join(parent, name), { recursive: true, force: true });
}

async function checkTarget(target: string, replace: boolean): Promise<void> {
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
      ? "name another folder, or say --replace (`replace: true`) to replace what an earlier run left there"
      : "name another folder: this one holds what no ingestion has written",
  });
}
