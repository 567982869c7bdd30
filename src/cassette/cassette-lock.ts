import { rm } from "node:fs/promises";
import { waitForLock } from "../files/wait-for-lock.js";
import { CASSETTE_DEFAULTS } from "./defaults.js";

/** Lets the recorders of a cassette, in any process, write one after the other; on a file system without locks all at once. */
export class CassetteLock {
  private readonly path: string;

  constructor(cassette: string) {
    this.path = `${cassette}.lock`;
  }

  /** Runs `work` while no other recorder writes. @throws what `work` throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const lock = await waitForLock(this.path, { pollMs: CASSETTE_DEFAULTS.lockPollMs });
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
}
