import { setTimeout as sleep } from "node:timers/promises";
import type { ServeProcesses } from "./serve-process.js";

/** A call waits for funds that a killed server holds for 30 seconds at most. */
const ATTEMPT_MS = 60_000;
/** Pause before a call asks again, ms. */
const PAUSE_MS = 100;

/** What is asked of the servers. */
export interface Load {
  readonly servers: ServeProcesses;
  /** Path and query of a GET. */
  readonly path: string;
  readonly apiKey: string;
  /** Number of calls, each with an id of its own. */
  readonly calls: number;
  /** Calls under way at once. */
  readonly lanes: number;
  /** Called after each answer 200 with their number. */
  readonly onAnswer?: (answered: number) => void;
}

/** What became of the calls. */
export interface LoadReport {
  /** The final answer of each call by its id: 200 with what it says, or 402. */
  readonly answers: ReadonlyMap<string, { readonly status: number; readonly body: unknown }>;
  /** Attempts by what came of them: `200`, `503 service_unavailable`, the code of a connection error. */
  readonly attempts: Readonly<Record<string, number>>;
  /** Attempts that got neither an answer of the service nor lost their connection: there must be none. */
  readonly odd: readonly string[];
  /** The longest time from the first attempt of a call to its answer, ms. */
  readonly longestMs: number;
}

/** The id of the n-th call. */
export function callId(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
}

/**
 * Asks servers of one account, by many callers at once. A caller that gets a 503, or loses its connection, asks the next server with the
 * same id, until it has a 200 or a 402.
 */
export async function loadServers(load: Load): Promise<LoadReport> {
  const { servers, calls, lanes, onAnswer } = load;
  const answers = new Map<string, { status: number; body: unknown }>();
  const attempts: Record<string, number> = {};
  const odd: string[] = [];
  let [next, answered, longestMs] = [0, 0, 0];
  const lane = async () => {
    while (next < calls) {
      const n = next++;
      const start = performance.now();
      for (let tries = 0; ; tries += 1) {
        const url = servers.url(n + tries);
        const { kind, status, body } =
          url === undefined
            ? { kind: "no server", status: 0, body: "" }
            : await attempt(url, callId(n), load);
        attempts[kind] = (attempts[kind] ?? 0) + 1;
        if (status === 200 || status === 402) {
          answers.set(callId(n), { status, body });
          break;
        }
        if (status !== 503 && status !== 0) odd.push(`${kind}: ${JSON.stringify(body)}`);
        await sleep(PAUSE_MS);
      }
      longestMs = Math.max(longestMs, performance.now() - start);
      if (answers.get(callId(n))?.status === 200) onAnswer?.(++answered);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { answers, attempts, odd, longestMs };
}

interface Attempt {
  readonly kind: string;
  /** 0 without an answer. */
  readonly status: number;
  readonly body: unknown;
}

async function attempt(url: string, id: string, { path, apiKey }: Load): Promise<Attempt> {
  try {
    const headers = { Authorization: `Bearer ${apiKey}`, "X-Request-Id": id };
    const response = await fetch(`${url}${path}`, { headers, signal: AbortSignal.timeout(ATTEMPT_MS) });
    const { status } = response;
    const text = await response.text();
    const body = parsed(text) as { request_id?: string; error?: { code: string; request_id: string } };
    // A 5xx without an envelope, or an answer to another call, is odd.
    const named = status === 200 ? body?.request_id : body?.error?.request_id;
    if (named !== id) return { kind: `${status} not of this call`, status: -1, body: text };
    return { kind: status === 200 ? "200" : `${status} ${body.error?.code}`, status, body };
  } catch (error) {
    const { cause, name } = error as { cause?: { code?: string }; name: string };
    return { kind: cause?.code ?? name, status: 0, body: String(error) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
