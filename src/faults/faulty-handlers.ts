import { setTimeout as wait } from "node:timers/promises";
import { ApiError } from "../contract/errors.js";
import type { Handler, HandlerContext, HandlerResult } from "../endpoints/handler.js";
import type { FaultInjector } from "./fault-injector.js";
import { type FaultRule, INJECTED_CODES } from "./fault-plan.js";
import { overlapping, shrunk } from "./page-faults.js";

/** What faults act upon. */
export interface FaultEnvironment {
  readonly injector: FaultInjector;
  /** Aborted when the lake closes: its calls that hang or wait end, and those that would later. */
  readonly ending: AbortSignal;
  /** Waits in the time of the lake's clock. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Moves the service clock. */
  readonly jump: (ms: number) => void;
}

type Handlers = Readonly<Record<string, Handler>>;

/**
 * Adds faults to the step of a call in which its endpoint is executed: after every check of the service, before the charge. An error
 * there is an error of the service, which is not charged; a fault of the connection comes after the charge, as over a network.
 */
export function faultyHandlers(handlers: Handlers, environment: FaultEnvironment): Handlers {
  return Object.fromEntries(
    Object.entries(handlers).map(([operation, handler]) => [operation, faulty(handler, environment)]),
  );
}

function faulty(handler: Handler, environment: FaultEnvironment): Handler {
  return async (params, context) => {
    let call = () => handler(params, context);
    for (const rule of environment.injector.next(context.endpoint.id)) {
      switch (rule.fault) {
        case "overlap":
          call = replaced(call, () => overlapping(handler, params, context, rule.items));
          break;
        case "shrink":
          call = changed(call, (result) => shrunk(result, rule.items));
          break;
        default:
          await happen(rule, context, environment);
      }
    }
    return call();
  };
}

const replaced = (_: () => Promise<HandlerResult>, by: () => Promise<HandlerResult>) => by;

const changed =
  (call: () => Promise<HandlerResult>, change: (result: HandlerResult) => HandlerResult) => async () =>
    change(await call());

async function happen(
  rule: FaultRule,
  { requestId, signal }: HandlerContext,
  { injector, ending, sleep, jump }: FaultEnvironment,
): Promise<void> {
  const endings = [ending, injector.ending];
  const until = AbortSignal.any(signal === undefined ? endings : [signal, ...endings]);
  switch (rule.fault) {
    case "status":
      throw errorOf(rule);
    case "latency":
      return pause(rule.ms, rule.time, until, sleep);
    case "slow":
      return pause(rule.medianMs * Math.exp(rule.sigma * injector.normal()), rule.time, until, sleep);
    case "hang":
      return never(until);
    case "clock-jump":
      jump(rule.ms);
      return;
    case "drop":
      injector.keepWire(requestId, { kind: "drop", share: 0 });
      throw new ApiError("bad_gateway");
    case "cut":
    case "short":
    case "malformed-chunk":
      injector.keepWire(requestId, { kind: rule.fault, share: rule.share });
      return;
    case "malformed-json":
      injector.keepWire(requestId, { kind: rule.fault, share: 1 });
  }
}

function errorOf({ status, code, retryAfterS }: Extract<FaultRule, { fault: "status" }>): Error {
  // An error that the service does not know becomes its plain-text 500.
  if (status === 500) return new Error("a fault was asked for: 500");
  const wait = status === 429 ? (retryAfterS ?? 1) : status === 503 ? retryAfterS : undefined;
  const known = status === 429 ? (code ?? "rate_limited") : INJECTED_CODES[status];
  return new ApiError(known, wait === undefined ? {} : { retryAfterS: wait });
}

async function pause(
  ms: number,
  time: "real" | "virtual",
  until: AbortSignal,
  sleep: FaultEnvironment["sleep"],
): Promise<void> {
  if (time === "virtual") return sleep(Math.round(ms), until);
  await wait(ms, undefined, { signal: until });
}

function never(until: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (until.aborted) reject(until.reason);
    until.addEventListener("abort", () => reject(until.reason), { once: true });
  });
}
