import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { LakeError } from "../contract/errors.js";
import { createLockFile, exists, givesLocks, type ProcessLock, tryLock } from "../files/process-lock.js";
import { CASSETTE_DEFAULTS } from "./defaults.js";

/** Lets the recorders of a cassette, in any process, write one after the other; on a file system without locks all at once. */
export class CassetteLock {
  private readonly path: string;

  constructor(cassette: string) {
    this.path = `${cassette}.lock`;
  }

  /** Runs `work` while no other recorder writes. @throws what `work` throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const lock = await this.take();
    try {
      return await work();
    } finally {
      await lock?.release();
    }
  }

  /** Removes the lock's file. Other recorders make it again. */
  async remove(): Promise<void> {
    await this.run(() => rm(this.path, { force: true }));
  }

  /** Waits for the lock; undefined if the file system has none. */
  private async take(): Promise<ProcessLock | undefined> {
    let isSure = false;
    for (;;) {
      try {
        await createLockFile(this.path);
        const lock = await tryLock(this.path, "exclusive");
        if (lock !== undefined && (await exists(this.path))) return lock;
        await lock?.release();
        // Some file systems report every lock as held.
        if (lock === undefined && !isSure && !(await givesLocks(this.path))) return undefined;
        isSure = true;
      } catch (error) {
        if (!(error instanceof LakeError)) throw error;
        if (error.code === "locks_unsupported") return undefined;
        if (error.code !== "lock_missing") throw error;
      }
      await sleep(CASSETTE_DEFAULTS.lockPollMs);
    }
  }
}
