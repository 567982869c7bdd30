import { mkdir, mkdtemp, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../../contract/errors.js";
import { REJECTS_FILE } from "./defaults.js";

/** A folder beside the final one, in which output is made; it becomes the final one by a rename, or goes. */
export class Staging {
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
   * Makes the staging folder.
   * @param replace whether an output of an earlier run at `out` may be replaced
   * @throws UsageError when `out` holds something already
   */
  static async begin(out: string, replace: boolean): Promise<Staging> {
    const target = resolve(out);
    await checkTarget(target, replace);
    const madeParent = await mkdir(dirname(target), { recursive: true });
    const dir = await mkdtemp(join(dirname(target), `.${basename(target)}.partial-`));
    return new Staging(dir, target, replace, madeParent);
  }

  /** Makes the staged folder visible at the target. */
  async publish(): Promise<void> {
    await checkTarget(this.target, this.replace);
    await syncFolder(this.dir);
    let old: string | undefined;
    if (this.replace && (await exists(this.target))) {
      old = join(await mkdtemp(join(dirname(this.target), `.${basename(this.target)}.old-`)), "out");
      await rename(this.target, old);
    }
    await rename(this.dir, this.target);
    await syncFolder(dirname(this.target));
    if (old !== undefined) await rm(dirname(old), { recursive: true, force: true });
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
  const ours = names.every((name) => name === REJECTS_FILE || /^[0-9a-f]{16,64}$/.test(name));
  if (replace && ours) return;
  throw new UsageError("out_not_empty", `${target} is not empty`, {
    value: target,
    remedy: ours
      ? "name another folder, or say --replace (`replace: true`) to replace what an earlier run left there"
      : "name another folder: this one holds what no ingestion has written",
  });
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
