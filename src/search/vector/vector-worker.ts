import { parentPort } from "node:worker_threads";
import { Turns } from "../turns.js";
import { SearchPlan } from "./search-plan.js";
import type { Failure, Reply, Request, SetToOpen } from "./thread-messages.js";
import { VectorSet } from "./vector-set.js";

type Question = Extract<Request, { readonly id: number }>;

const port = parentPort!;
const turns = new Turns();
const sets: VectorSet[] = [];
const aborts = new Map<number, AbortController>();

async function open(wanted: readonly SetToOpen[]): Promise<void> {
  try {
    for (const { dir, manifest, recall } of wanted)
      sets.push(await VectorSet.open(dir, manifest, new SearchPlan(recall), turns));
    reply({ opened: true });
  } catch (error) {
    reply({ opened: false, failure: failureOf(error) });
  }
}

async function answer(set: VectorSet, request: Question): Promise<void> {
  const { id, query, limit, rows, exact, depth } = request;
  const abort = new AbortController();
  aborts.set(id, abort);
  try {
    const found = await set.nearest(query, limit, {
      signal: abort.signal,
      rows,
      exact,
      depth,
    });
    reply({ id, found });
  } catch (error) {
    reply({ id, failure: failureOf(error) });
  } finally {
    aborts.delete(id);
  }
}

function reply(message: Reply): void {
  port.postMessage(message);
}

/** Classes of errors do not pass from thread to thread: their members are sent. */
function failureOf(error: unknown): Failure {
  const { message, code, value, remedy } = error as Error & Partial<Failure>;
  return {
    message,
    ...(typeof code === "string" && remedy !== undefined ? { code, value, remedy } : {}),
  };
}

port.on("message", (request: Request) => {
  if ("open" in request) void open(request.open);
  else if ("abort" in request) aborts.get(request.abort)?.abort();
  else void answer(sets[request.set]!, request);
});
