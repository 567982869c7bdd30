import { Worker } from "node:worker_threads";

/** Words that a process writes to standard error before it ends itself for its memory. */
export const OUT_OF_MEMORY = "mirrorlake: over the memory limit";

/** Words that it writes before it ends itself because its query has had its time, or its parent is gone. */
export const NOT_WANTED = "mirrorlake: no longer wanted";

/** Milliseconds between two looks, and between two while more than half of the memory is taken: an engine takes some megabytes a millisecond. */
const PAUSE_MS = 10;
const SHORT_PAUSE_MS = 2;
/** The first priority that a thread may have, where the system lets it have one: a busy machine lets it look in time. */
const PRIORITY = -20;

/*
 * A thread of its own, because the main thread stands still while it converts a large value. It is text, so that no bundle lacks its
 * file.
 */
const WATCH = `
const { writeSync } = require("node:fs");
const { limits, awake, pauseMs, shortPauseMs, priority, words, lateWords } = require("node:worker_threads").workerData;
const parent = process.ppid;
// On Linux a thread has a priority of its own. Most users may not choose it.
if (process.platform === "linux")
  try {
    require("node:os").setPriority(0, priority);
  } catch (error) {
    if (!["EACCES", "EPERM"].includes(error.info?.code)) throw error;
  }
const end = (text) => {
  try { writeSync(2, text); } finally { process.kill(process.pid, "SIGKILL"); }
};
for (;;) {
  Atomics.wait(awake, 0, 0);
  const rss = process.memoryUsage.rss();
  if (rss > limits[0]) end(words);
  if (Date.now() > limits[1] || process.ppid !== parent) end(lateWords);
  Atomics.wait(awake, 1, 0, rss > limits[0] / 2 ? shortPauseMs : pauseMs);
}
`;

/** Ends this process when it takes more than it may, or its parent is gone. */
export class SelfWatch {
  private readonly limits = new Float64Array(new SharedArrayBuffer(16));
  private readonly awake = new Int32Array(new SharedArrayBuffer(8));
  private readonly thread: Worker;
  /** Milliseconds that are left while time stands still. */
  private leftMs: number | undefined;

  constructor() {
    this.thread = new Worker(WATCH, {
      eval: true,
      execArgv: [],
      workerData: {
        limits: this.limits,
        awake: this.awake,
        pauseMs: PAUSE_MS,
        shortPauseMs: SHORT_PAUSE_MS,
        priority: PRIORITY,
        words: OUT_OF_MEMORY,
        lateWords: NOT_WANTED,
      },
      resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
    });
    this.thread.unref();
  }

  /**
   * Begins to watch.
   * @param rssBytes the most resident memory
   * @param untilMs epoch milliseconds after which the process ends itself
   */
  begin(rssBytes: number, untilMs: number): void {
    this.leftMs = undefined;
    this.limits[0] = rssBytes;
    this.limits[1] = untilMs;
    Atomics.store(this.awake, 0, 1);
    Atomics.notify(this.awake, 0);
  }

  /** Lets the time stand still, but watches the memory. */
  pause(): void {
    if (this.leftMs !== undefined) return;
    this.leftMs = this.limits[1]! - Date.now();
    this.limits[1] = Number.POSITIVE_INFINITY;
  }

  /** Lets the time go on after a {@link SelfWatch.pause}. */
  resume(): void {
    if (this.leftMs === undefined) return;
    this.limits[1] = Date.now() + this.leftMs;
    this.leftMs = undefined;
  }

  /** Sleeps until the next {@link SelfWatch.begin}. */
  rest(): void {
    Atomics.store(this.awake, 0, 0);
  }
}
