import { fileURLToPath } from "node:url";
import { Tinypool } from "tinypool";

/** How {@link runTasks} works. */
export interface RunOptions<Task> {
  /** Worker threads; 0 runs the tasks in this thread, one after another. */
  readonly threads: number;
  /** Whether each task gets a thread of its own, for tasks that hold much: it is free when the task ends. */
  readonly isolated?: boolean;
  readonly onDone?: (task: Task) => void;
  readonly signal?: AbortSignal;
}

/**
 * Runs tasks, each in a worker thread. Tasks share nothing but what none of them writes, and each writes its own files, so the
 * threads change nothing but the time.
 *
 * @returns what each task returns, in the order of the tasks
 * @param module the built module that exports the function by its name
 * @throws what a task throws, or the signal's reason
 */
export async function runTasks<Task, Result>(
  module: URL,
  run: (task: Task) => Promise<Result>,
  tasks: readonly Task[],
  { threads, isolated = false, onDone, signal }: RunOptions<Task>,
): Promise<Result[]> {
  if (threads === 0 || tasks.length === 0) {
    const results: Result[] = [];
    for (const task of tasks) {
      signal?.throwIfAborted();
      results.push(await run(task));
      onDone?.(task);
    }
    return results;
  }
  const pool = new Tinypool({
    filename: fileURLToPath(module),
    runtime: "worker_threads",
    isolateWorkers: isolated,
    minThreads: 0,
    maxThreads: Math.min(threads, tasks.length),
  });
  try {
    return await Promise.all(
      tasks.map(async (task) => {
        const options = { name: run.name, ...(signal === undefined ? {} : { signal }) };
        const result = (await pool.run(task, options)) as Result;
        onDone?.(task);
        return result;
      }),
    );
  } finally {
    await pool.destroy();
  }
}
