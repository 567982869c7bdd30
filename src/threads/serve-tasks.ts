import type { MessagePort } from "node:worker_threads";
import { type Failure, failureOf } from "./failure.js";
import { Moved } from "./moved.js";
import type { TaskTable } from "./task-table.js";

/** A task for a worker thread. */
export interface TaskMessage {
  readonly name: string;
  readonly task: unknown;
}

/** Reply of a worker thread, in the order of the tasks. */
export type TaskReply = { readonly result: unknown } | { readonly failure: Failure };

/** Runs the tasks received on the port in order, and replies with each result or error. */
export function serveTasks(port: MessagePort, table: TaskTable): void {
  const functions = new Map<string, Promise<(task: never) => Promise<unknown>>>();
  let last: Promise<void> = Promise.resolve();

  async function answer({ name, task }: TaskMessage): Promise<void> {
    try {
      let loaded = functions.get(name);
      if (loaded === undefined) {
        loaded = table[name]!();
        functions.set(name, loaded);
      }
      const result = await (await loaded)(task as never);
      if (result instanceof Moved) port.postMessage({ result: result.value }, result.buffers);
      else port.postMessage({ result });
    } catch (error) {
      port.postMessage({ failure: failureOf(error) });
    }
  }

  port.on("message", (message: TaskMessage) => {
    last = last.then(() => answer(message));
  });
}
