import { fileURLToPath } from "node:url";
import { Tinypool } from "tinypool";

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
  /** Told of each task that is done, in no promised order. */
  readonly onDone?: (task: Task, result: Result) => void;
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
  { threads, isolated = false, onDone, signal }: RunOptions<Task, Result>,
): Promise<Result[]> {
  if (threads === 0 || tasks.length === 0) {
    const results: Result[] = [];
    for (const task of tasks) {
      signal?.throwIfAborted();
      const result = await run(task);
      results.push(result);
      onDone?.(task, result);
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
        const options = { name: run.name, signal };
        const result = (await pool.run(task, options)) as Result;
        onDone?.(task, result);
        return result;
      }),
    );
  } finally {
    await pool.destroy();
  }
}
