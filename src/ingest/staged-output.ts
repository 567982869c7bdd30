import { mkdir, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../contract/errors.js";
import { renameSynced, syncFolder } from "../files/durable-files.js";
import { makeFolder, unwritableFolder } from "../files/make-folder.js";
import { isRunning } from "../files/temporary-folder.js";
import { AUTHOR_SALT_FILE } from "../lake/lake-paths.js";
import { REJECTS_FILE } from "./defaults.js";

/**
 * An output folder in the making: a hidden sibling of the final one, which becomes it by a rename, or goes. What a killed
 * process left of its own is removed by the next run for the same output.
 */
export class StagedOutput {
  private constructor(
    /** Where to write. */
    readonly dir: string,
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
    const dir = await makeNumbered(dirname(target), prefix).catch((cause) => {
      throw unwritableFolder(target, cause);
    });
    return new StagedOutput(dir, target, replace, madeParent);
  }

  /** Makes the staged folder visible at the target; of an earlier output there, nothing is left. */
  async publish(): Promise<void> {
    await checkTarget(this.target, this.replace);
    await syncFolder(this.dir);
    const there = (await stat(this.target).catch(() => undefined)) !== undefined;
    const aside = `${this.dir}-old`;
    if (there) await rename(this.target, aside);
    try {
      await renameSynced(this.dir, this.target);
    } catch (error) {
      if (there) await rename(aside, this.target);
      throw error;
    }
    if (there) await rm(aside, { recursive: true, force: true });
  }

  /** Removes the staged folder and the folders that were made for it. */
  async discard(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true });
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

async function makeNumbered(parent: string, prefix: string): Promise<string> {
  for (let n = 0; ; n++) {
    const path = join(parent, `${prefix}${process.pid}-${n}`);
    try {
      await mkdir(path);
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

async function removeAbandoned(parent: string, prefix: string, targetName: string): Promise<void> {
  const names = await readdir(parent);
  for (const name of names) {
    const [, pid, old] =
      (name.startsWith(prefix) && /^(\d+)-\d+(-old)?$/.exec(name.slice(prefix.length))) || [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    // Without its replacement, an output set aside is the only one there is.
    if (old !== undefined && !names.includes(targetName)) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
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
