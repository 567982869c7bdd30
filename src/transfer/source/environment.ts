import { statfs } from "node:fs/promises";
import { clearTimeout, setTimeout } from "node:timers";
import { setTimeout as wait } from "node:timers/promises";
import { createSender, type SendRequest } from "../../network/sender.js";

/** Environment of a pull besides files, injected so that tests control time, randomness and the network. */
export interface PullEnvironment {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Uniform numbers from 0 to 1. */
  readonly random: () => number;
  /** Pauses for a time in ms, or rejects with the reason of the signal. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Calls back after a time in ms, unless the returned function is called first. */
  readonly timer: (ms: number, ring: () => void) => () => void;
  /** Sends requests. The system's is not the global `fetch`, but one that survives hostile servers. */
  readonly fetch: SendRequest;
  /** Bytes free to this user on the file system of a folder. */
  readonly freeBytes: (dir: string) => Promise<number>;
}

/** The system's environment. */
export const systemEnvironment: PullEnvironment = {
  now: Date.now,
  random: Math.random,
  sleep: async (ms, signal) => {
    try {
      await wait(ms, undefined, { signal });
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
  timer: (ms, ring) => {
    const timer = setTimeout(ring, ms);
    return () => clearTimeout(timer);
  },
  fetch: createSender(),
  freeBytes: async (dir) => {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize;
  },
};
