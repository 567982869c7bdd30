import { ConnectionError } from "../contract/errors.js";
import { type MicroUsd, parseUsd, ZERO_USD } from "../contract/money.js";
import type { TransportResponse } from "./answer.js";
import type { Budget } from "./budget.js";
import type { CallOptions, Target, Transport } from "./client.js";
import { pauseMs, type RetryPolicy } from "./retry.js";

/** Limits of a client's calls. */
export interface Bounds {
  readonly budget: Budget;
  readonly retry: RetryPolicy;
  /** Time limit of one attempt, ms; undefined for none. */
  readonly timeoutMs: number | undefined;
  /** Name of the service for messages: a base URL, or the path of a lake. */
  readonly name: string;
  /** Returns true if a call that failed with this error cannot have been charged. */
  readonly costsNothing: (error: unknown) => boolean;
}

/** Retried statuses; both are free of charge (service.md section 7). */
const RETRIED: ReadonlySet<number> = new Set([429, 503]);

/** Adds retries, a time limit and a budget to a transport. */
export function governTransport(transport: Transport, bounds: Bounds): Transport {
  const { budget, costsNothing, retry } = bounds;

  async function attempt(
    target: Target,
    params: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<TransportResponse> {
    const reservation = budget.reserve(target.price);
    return inTime(bounds, options, async (limited) => {
      try {
        const response = await transport.send(target, params, limited);
        reservation.settle(chargedBy(response));
        return response;
      } catch (error) {
        if (costsNothing(error)) reservation.settle(ZERO_USD);
        else reservation.assumeSpent();
        throw error;
      }
    });
  }

  return {
    async send(target, params, options) {
      const { signal } = options;
      for (let tries = 1; ; tries++) {
        signal?.throwIfAborted();
        const response = await attempt(target, params, options);
        if (!RETRIED.has(response.status)) return response;
        const pause = pauseMs(
          retry,
          tries,
          response.headers["retry-after"] ?? response.headers["Retry-After"],
        );
        if (pause === undefined) return response;
        await retry.sleep(pause, signal);
      }
    },
  };
}

/** Rejects at the time limit even if the call ignores its signal; such a call settles its budget itself when it ends. */
async function inTime<T>(
  { name, timeoutMs }: Bounds,
  options: CallOptions,
  call: (options: CallOptions) => Promise<T>,
): Promise<T> {
  if (timeoutMs === undefined) return call(options);
  const { signal } = options;
  const timeout = new AbortController();
  const expired = new Promise<never>((_resolve, reject) => {
    timeout.signal.addEventListener("abort", () => reject(timeout.signal.reason), { once: true });
  });
  const timer = setTimeout(() => timeout.abort(timedOut(name, timeoutMs)), timeoutMs);
  try {
    const either = signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]);
    return await Promise.race([call({ ...options, signal: either }), expired]);
  } catch (error) {
    if (timeout.signal.aborted && signal?.aborted !== true) throw timeout.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function timedOut(name: string, timeoutMs: number): ConnectionError {
  return new ConnectionError("timeout", `No answer from ${name} within ${timeoutMs} ms`, {
    value: name,
    remedy: "Raise timeoutMs. The call may have been charged, so it is not retried automatically.",
  });
}

function chargedBy({ status, body }: TransportResponse): MicroUsd {
  const charged = (body as { meta?: { charged_usd?: unknown } } | null)?.meta?.charged_usd;
  return status === 200 && typeof charged === "string" ? parseUsd(charged) : ZERO_USD;
}
