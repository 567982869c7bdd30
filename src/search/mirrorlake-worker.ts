import { parentPort, workerData } from "node:worker_threads";
import { serveTasks } from "../threads/serve-tasks.js";
import type { WorkerRole } from "./start-worker.js";
import { WORKER_TASKS } from "./worker-tasks.js";

/*
 * The code of every worker thread, and an entry point of the package (`mirrorlake/worker`) for bundlers. The file's name says
 * whose it is, as it stands beside the files of others in a bundle.
 */
const port = parentPort!;
if ((workerData as WorkerRole) === "tasks") serveTasks(port, WORKER_TASKS);
else void import("./vector/serve-search.js").then(({ serveSearch }) => serveSearch(port));
