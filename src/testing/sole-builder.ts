import { rm } from "node:fs/promises";
import { waitForLock } from "../files/wait-for-lock.js";
import { TESTING_DEFAULTS } from "./defaults.js";

/**
 * Runs `build` in one process or thread at a time; others wait until it is done, or the process that ran it has ended. A file system
 * without locks lets all of them build.
 * @param path of the lock; the file is removed afterwards
 * @param isBuilt whether there is nothing left to build
 * @throws whatever `build` throws
 */
export async function asSoleBuilder(
  path: string,
  isBuilt: () => Promise<boolean>,
  build: () => Promise<void>,
): Promise<void> {
  const lock = await waitForLock(path, {
    pollMs: TESTING_DEFAULTS.lockPollMs,
    isNeeded: async () => !(await isBuilt()),
  });
  try {
    if (!(await isBuilt())) await build();
  } finally {
    if (lock !== undefined) await rm(path, { force: true }); // while it is held: what comes next has a file of its own
    await lock?.release();
  }
}
