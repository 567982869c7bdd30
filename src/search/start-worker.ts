import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { SearchError } from "../contract/errors.js";
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
 * @throws SearchError `thread_not_started`, mostly because Node.js may not start threads
 */
export function startWorker(role: WorkerRole): Worker {
  try {
    return new Worker(new URL("./mirrorlake-worker.js", import.meta.url), {
      workerData: role,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: SEARCH_DEFAULTS.youngMb[role] },
    });
  } catch (cause) {
    throw notStarted(role, cause as NodeJS.ErrnoException);
  }
}

function notStarted(role: WorkerRole, cause: NodeJS.ErrnoException): SearchError {
  return new SearchError("thread_not_started", `A worker thread cannot be started: ${cause.message}`, {
    value: role,
    remedy:
      cause.code === "ERR_ACCESS_DENIED"
        ? "allow Node.js to start it: node --allow-worker"
        : "check what Node.js may do here, and how it was started",
    cause,
  });
}
