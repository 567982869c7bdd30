import { parentPort, workerData } from "node:worker_threads";
import type { WorkerRole } from "./start-worker.js";

/*
 * The code of every worker thread, and an entry point of the package (`mirrorlake/worker`) for bundlers. The file's name says
 * whose it is, as it stands beside the files of others in a bundle.
 */
const port = parentPort!;
const serve: Readonly<Record<WorkerRole, () => Promise<void>>> = {
  tasks: async () => (await import("./worker-tasks.js")).serve(port),
  search: async () => (await import("./vector/serve-search.js")).serveSearch(port),
};
void serve[workerData as WorkerRole]();
