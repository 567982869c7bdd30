import { ConnectionError } from "../contract/errors.js";
import { ZERO_USD } from "../contract/money.js";
import { withinTime } from "../network/within-time.js";
import type { TransportResponse } from "./answer.js";
import type { Budget } from "./budget.js";
import type { SendOptions, Target, Transport } from "./client.js";
import { pauseMs, type RetryPolicy } from "./retry.js";
import { statedCharge } from "./stated-charge.js";

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
  /** Source of the calls' ids; absent: the service gives each attempt its own. */
  readonly ids?: (() => string) | undefined;
  /** Called when an answer's charge is not what the catalogue says. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** Retried statuses; both are free of charge (service.md section 7). */
const RETRIED: ReadonlySet<number> = new Set([429, 503]);

/** Adds retries, a time limit and a budget to a transport. */
export function governTransport(transport: Transport, bounds: Bounds): Transport {
  const { budget, costsNothing, name, retry, timeoutMs } = bounds;

  async function attempt(
    target: Target,
    params: Readonly<Record<string, unknown>>,
    options: SendOptions,
  ): Promise<TransportResponse> {
    const reservation = budget.reserve(target.price);
    const send = async (signal: AbortSignal | undefined) => {
      try {
        const response = await transport.send(target, params, { ...options, signal });
        const { charged, doubt } = statedCharge(response, target.price);
        reservation.settle(charged);
        if (doubt !== undefined) bounds.onNotice?.(`An answer of ${name} to ${target.id}: ${doubt}`);
        return response;
      } catch (error) {
        if (costsNothing(error)) reservation.settle(ZERO_USD);
        else reservation.assumeSpent();
        throw error;
      }
    };
    const { signal } = options;
    if (timeoutMs === undefined) return send(signal);
    return withinTime({ timeoutMs, signal, expired: (ms) => timedOut(name, ms) }, send);
  }

  return {
    async send(target, params, options) {
      const { signal } = options;
      // A 503 may hide that the call was charged: with one id for all of its attempts that happens once.
      const sent = { ...options, callId: bounds.ids?.() };
      for (let tries = 1; ; tries++) {
        signal?.throwIfAborted();
        const response = await attempt(target, params, sent);
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

function timedOut(name: string, timeoutMs: number): ConnectionError {
  return new ConnectionError("timeout", `No answer from ${name} within ${timeoutMs} ms`, {
    value: name,
    remedy: "Raise timeoutMs. The call may have been charged, so it is not retried automatically.",
  });
}
