import { resolve } from "node:path";
import { LakeError } from "../contract/errors.js";
import { Database } from "../corpus/duckdb.js";
import { lakePaths } from "./lake-paths.js";

/** Lakes that this process is installing into: the system's file locks tell processes apart, not calls. */
const installing = new Set<string>();

/**
 * Takes the lake's install lock, which the system itself lets go of when the process ends, however it ends: the lock on
 * a database file that is open for writing.
 * @throws LakeError `lake_busy` when another install has it
 */
export async function takeInstallLock(lake: string): Promise<{ release(): Promise<void> }> {
  const key = resolve(lake);
  if (installing.has(key)) throw busy(lake);
  installing.add(key);
  try {
    const lock = await Database.open(lakePaths(lake).installLock, { threads: 1 });
    return {
      release: async () => {
        await lock.close();
        installing.delete(key);
      },
    };
  } catch (error) {
    installing.delete(key);
    throw /lock/i.test((error as Error).message) ? busy(lake, error) : error;
  }
}

function busy(lake: string, cause?: unknown): LakeError {
  return new LakeError("lake_busy", `Another install into ${lake} is under way`, {
    value: lake,
    remedy: "wait for it to end, then run this one again",
    cause,
  });
}
