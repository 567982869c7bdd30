import type { Worker } from "node:worker_threads";
import { unmoved } from "./moved.js";
import type { ResultOf, TaskOf, TaskTable } from "./task-table.js";
import { ThreadPool } from "./thread-pool.js";

/** Where {@link runTasks} runs. */
export interface ThreadOptions {
  /** Worker threads; 0 runs the tasks in this thread, one after another. */
  readonly threads: number;
  readonly signal?: AbortSignal;
}

/** How {@link runTasks} works. */
export interface RunOptions<Task, Result = unknown> extends ThreadOptions {
  /** Runs each task in a new thread, which frees its memory when the task ends; for tasks with much memory. */
  readonly isolated?: boolean;
  /** Called with each finished task, in no specific order. */
  readonly onDone?: (task: Task, result: Result) => void;
}

/** The table of tasks, and how to start a thread that runs them. */
export interface TaskThreads<Table extends TaskTable> {
  readonly table: Table;
  readonly start: () => Worker;
}

/**
 * Runs tasks of one name in worker threads. Tasks share only read-only data, and each writes its own files, so
 * the number of threads does not change results.
 *
 * @returns the results in the order of the tasks
 * @throws the error of a task, or the signal's reason
 */
export async function runTasks<Table extends TaskTable, Name extends keyof Table & string>(
  { table, start }: TaskThreads<Table>,
  name: Name,
  tasks: readonly TaskOf<Table, Name>[],
  { threads, isolated, onDone, signal }: RunOptions<TaskOf<Table, Name>, ResultOf<Table, Name>>,
): Promise<ResultOf<Table, Name>[]> {
  type Result = ResultOf<Table, Name>;
  signal?.throwIfAborted();
  if (threads === 0 || tasks.length === 0) {
    const run = (await table[name]!()) as (task: unknown) => Promise<Result>;
    const results: Result[] = [];
    for (const task of tasks) {
      signal?.throwIfAborted();
      const result = unmoved(await run(task));
      results.push(result);
      onDone?.(task, result);
    }
    return results;
  }
  const pool = new ThreadPool({ threads: Math.min(threads, tasks.length), start, isolated });
  const abort = () => void pool.close(signal?.reason);
  signal?.addEventListener("abort", abort);
  try {
    return await Promise.all(
      tasks.map(async (task) => {
        const result = (await pool.run(name, task)) as Result;
        onDone?.(task, result);
        return result;
      }),
    );
  } finally {
    signal?.removeEventListener("abort", abort);
    await pool.close();
  }
}
