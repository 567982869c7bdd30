import type { MessagePort } from "node:worker_threads";
import { type RunOptions, runTasks as runTasksOf } from "../threads/run-tasks.js";
import { serveTasks } from "../threads/serve-tasks.js";
import type { ResultOf, TaskOf } from "../threads/task-table.js";
import { startWorker, workerAvailable } from "./start-worker.js";

/** Tasks of worker threads by name, each with the loader of its function, called once per thread. */
export const WORKER_TASKS = {
  extractPostings: async () =>
    (await import("./segment/analyse-task.js")).analyseTask({ postings: true, features: false }),
  extractFeatures: async () =>
    (await import("./segment/analyse-task.js")).analyseTask({ postings: false, features: true }),
  extractBoth: async () =>
    (await import("./segment/analyse-task.js")).analyseTask({ postings: true, features: true }),
  countPart: async () => (await import("./fit/count-part.js")).countPart,
  weighPart: async () => (await import("./fit/weigh-part.js")).weighPart,
  measurePart: async () => (await import("./fit/measure-part.js")).measurePart,
  collectOccurrences: async () => (await import("./fit/occurrences.js")).collectOccurrences,
  fitFeatures: async () => (await import("./fit/fit-slab.js")).fitFeatures,
  sumSlab: async () => (await import("./fit/fit-slab.js")).sumSlab,
  combineSlabs: async () => (await import("./fit/combine-slabs.js")).combineSlabs,
  readModel: async () => (await import("./fit/shared-model.js")).readModel,
  embedLogs: async () => (await import("./fit/embed-logs.js")).embedLogs,
  sumRows: async () => (await import("./vector/codes/sum-rows.js")).sumRows,
  byteRows: async () => (await import("./vector/write-byte-rows.js")).byteRows,
  buildGraphPart: async () => (await import("./vector/graph/graph-task.js")).buildGraphPart,
  measureSet: async () => (await import("./measure-set.js")).measureSet,
  hashFiles: async () => (await import("../files/durable-files.js")).hashFiles,
} as const;

type Tasks = typeof WORKER_TASKS;

/** Runs the tasks that a worker thread receives. */
export function serve(port: MessagePort): void {
  serveTasks(port, WORKER_TASKS);
}

/** Runs tasks of one name in worker threads. @throws what a task throws, or the signal's reason */
export async function runTasks<Name extends keyof Tasks>(
  name: Name,
  tasks: readonly TaskOf<Tasks, Name>[],
  options: RunOptions<TaskOf<Tasks, Name>, ResultOf<Tasks, Name>>,
): Promise<ResultOf<Tasks, Name>[]> {
  const threads = workerAvailable() ? options.threads : 0;
  const workers = { table: WORKER_TASKS, start: () => startWorker("tasks") };
  return runTasksOf(workers, name, tasks, { ...options, threads });
}
