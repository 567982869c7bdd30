import type { MessagePort } from "node:worker_threads";
import { failureOf } from "../../threads/failure.js";
import { EventLoopQueue } from "../event-loop-queue.js";
import { ScanMate } from "./codes/scan-mate.js";
import { SearchPlan } from "./search-plan.js";
import { type Reply, type Request, type SetToOpen, sentRows } from "./thread-messages.js";
import { VectorSet } from "./vector-set.js";

type Question = Extract<Request, { readonly id: number }>;

/** Opens the vector sets named by the first message and answers requests, several at a time. */
export function serveSearch(port: MessagePort): void {
  const queue = new EventLoopQueue();
  const sets: VectorSet[] = [];
  const aborts = new Map<number, AbortController>();

  async function open(setsToOpen: readonly SetToOpen[], other: MessagePort | undefined): Promise<void> {
    try {
      const mate = other && new ScanMate(other);
      for (const { parts, recall, kept, shared } of setsToOpen) {
        const options = {
          plan: new SearchPlan(recall),
          queue,
          kept,
          mate: shared ? mate : undefined,
          aside: true,
        };
        sets.push(await VectorSet.join(parts, options));
      }
      reply({ opened: true });
    } catch (error) {
      reply({ opened: false, failure: failureOf(error) });
    }
  }

  async function answer(set: VectorSet, request: Question): Promise<void> {
    const { id, query, limit, rows, exact, step, hints, exchange } = request;
    const abort = new AbortController();
    aborts.set(id, abort);
    try {
      const found = await set.nearest(query, limit, {
        signal: abort.signal,
        rows,
        exact,
        step,
        hints,
        exchange,
      });
      reply({ id, found: sentRows(found) });
    } catch (error) {
      reply({ id, failure: failureOf(error) });
    } finally {
      aborts.delete(id);
    }
  }

  function reply(message: Reply): void {
    port.postMessage(message);
  }

  port.on("message", (request: Request) => {
    if ("open" in request) void open(request.open, request.mate);
    else if ("abort" in request) aborts.get(request.abort)?.abort();
    else void answer(sets[request.set]!, request);
  });
}
