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
  /** Whether each task gets a thread of its own, for tasks that hold much: it is free when the task ends. */
  readonly isolated?: boolean;
  /** Called with each task that is done, in no promised order. */
  readonly onDone?: (task: Task, result: Result) => void;
}

/** What the tasks are, and how a thread that knows them is started. */
export interface TaskThreads<Table extends TaskTable> {
  readonly table: Table;
  readonly start: () => Worker;
}

/**
 * Runs tasks of one name, each in a worker thread. Tasks share nothing but what none of them writes, and each writes its own
 * files, so the threads change nothing but the time.
 *
 * @returns what each task returns, in the order of the tasks
 * @throws what a task throws, or the signal's reason
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
