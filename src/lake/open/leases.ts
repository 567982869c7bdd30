import { mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isRunning } from "../../files/temporary-folder.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { lakePaths } from "../lake-paths.js";

const NAME = /^(\d+)-(\d+)-\d+$/;

/** Says that this process reads a generation, so that no install removes it. */
export interface Lease {
  release(): Promise<void>;
}

/**
 * Takes a lease: a file `readers/<generation>-<pid>-<n>` that holds the machine's name. On a lake that cannot be written
 * to there is none to take: nobody could remove a generation there either.
 */
export async function takeLease(lake: string, generation: number): Promise<Lease> {
  const { readers } = lakePaths(lake);
  try {
    await mkdir(readers, { recursive: true });
    for (let n = 0; ; n++) {
      const path = join(readers, `${generation}-${process.pid}-${n}`);
      try {
        const file = await open(path, "wx");
        await file.writeFile(hostname());
        await file.close();
        return { release: () => rm(path, { force: true }) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
    }
  } catch (error) {
    if (["EROFS", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) {
      return { release: async () => {} };
    }
    throw error;
  }
}

/**
 * Generations that some process reads. Leases of processes that are gone are removed; those of other machines, whose
 * processes cannot be seen, count for a day after they were taken.
 */
export async function heldGenerations(lake: string, nowMs: number): Promise<Set<number>> {
  const { readers } = lakePaths(lake);
  const names = await readdir(readers).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const held = new Set<number>();
  for (const name of names) {
    const [, generation, pid] = NAME.exec(name) ?? [];
    if (generation === undefined) continue;
    if (await isHeld(join(readers, name), Number(pid), nowMs)) held.add(Number(generation));
    else await rm(join(readers, name), { force: true });
  }
  return held;
}

async function isHeld(path: string, pid: number, nowMs: number): Promise<boolean> {
  try {
    const host = await readFile(path, "utf8");
    if (host === hostname() || host === "") return isRunning(pid);
    return nowMs - (await stat(path)).mtimeMs < LAKE_DEFAULTS.foreignLeaseHours * 3_600_000;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
