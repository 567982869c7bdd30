import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";

/** What a worker thread is there for: the tasks of builds, or the search of vector sets that it keeps open. */
export type WorkerRole = "tasks" | "search";

/**
 * Whether the code of worker threads stands beside this one. A bundle may be without it (docs/bundlers.md): then all work is
 * done in the thread that asks, with the same results.
 */
export function workerAvailable(): boolean {
  return (
    URL.canParse("./mirrorlake-worker.js", import.meta.url) &&
    existsSync(new URL("./mirrorlake-worker.js", import.meta.url))
  );
}

/** Starts a worker thread. One file is the code of all of them; it is named here alone, in the form that bundlers understand. */
export function startWorker(role: WorkerRole): Worker {
  return new Worker(new URL("./mirrorlake-worker.js", import.meta.url), { workerData: role, execArgv: [] });
}
