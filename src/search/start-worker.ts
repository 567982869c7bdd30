import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { SEARCH_DEFAULTS } from "./defaults.js";

/** Role of a worker thread: tasks of builds, or search of vector sets. */
export type WorkerRole = "tasks" | "search";

/**
 * Whether the file of worker threads exists beside this one. A bundle may lack it (docs/bundlers.md): then all
 * work runs in the calling thread, with the same results.
 */
export function workerAvailable(): boolean {
  return (
    URL.canParse("./mirrorlake-worker.js", import.meta.url) &&
    existsSync(new URL("./mirrorlake-worker.js", import.meta.url))
  );
}

/**
 * Starts a worker thread. All of them run one file; its URL is written only here, in the form that bundlers
 * recognise.
 */
export function startWorker(role: WorkerRole): Worker {
  return new Worker(new URL("./mirrorlake-worker.js", import.meta.url), {
    workerData: role,
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: SEARCH_DEFAULTS.youngMb[role] },
  });
}
