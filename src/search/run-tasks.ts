import { fileURLToPath } from "node:url";
import { Tinypool } from "tinypool";

/** How {@link runTasks} works. */
export interface RunOptions<Task> {
  /** Worker threads; 0 runs the tasks in this thread, one after another. */
  readonly threads: number;
  readonly onDone?: (task: Task) => void;
  readonly signal?: AbortSignal;
}

/**
 * Runs tasks, each in a worker thread. Tasks share nothing and each writes its own files, so the threads change nothing but
 * the time.
 *
 * @param module the built module that exports the function by its name
 * @throws what a task throws, or the signal's reason
 */
export async function runTasks<Task>(
  module: URL,
  run: (task: Task) => Promise<void>,
  tasks: readonly Task[],
  { threads, onDone, signal }: RunOptions<Task>,
): Promise<void> {
  if (threads === 0) {
    for (const task of tasks) {
      signal?.throwIfAborted();
      await run(task);
      onDone?.(task);
    }
    return;
  }
  const pool = new Tinypool({
    filename: fileURLToPath(module),
    runtime: "worker_threads",
    minThreads: 0,
    maxThreads: Math.min(threads, tasks.length),
  });
  try {
    await Promise.all(
      tasks.map(async (task) => {
        await pool.run(task, { name: run.name, ...(signal === undefined ? {} : { signal }) });
        onDone?.(task);
      }),
    );
  } finally {
    await pool.destroy();
  }
}
