import { z } from "zod";
import { type Clock, systemClock } from "../clock.js";
import type { OptionSchemas } from "../contract/check-options.js";
import { UsageError } from "../contract/errors.js";
import { omitUndefined } from "../contract/omit-undefined.js";
import { CallbackOption, ClockOption } from "../contract/option-schemas.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { type RetryPolicy, systemRetryPolicy } from "./retry.js";

/** Options that {@link openLake} and {@link connect} have in common: a program that changes from one to the other keeps them. */
export interface ClientOptions {
  /** The key of every call. A remote service needs one; a lake's client without one makes itself a key with every scope. */
  readonly apiKey?: string | undefined;
  /** Most that this client may spend, USD (`"1.50"`, or a number); a call that could pass it is not made. No limit by default. */
  readonly budgetUsd?: string | number | undefined;
  /** Time that one attempt of a call may take, ms: 30 s by default over a network, no limit in process. */
  readonly timeoutMs?: number | undefined;
  /**
   * How calls refused with 429 or 503 are tried again: what is left out keeps its default. Over a network 4 times unless
   * `{ retries: 0 }` says otherwise; in process not at all unless this option is given, `{}` for the same 4 times.
   */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** The wall clock, from which a date in `Retry-After` counts. Of a lake also that of rate windows, caps and quota months. */
  readonly clock?: Clock | undefined;
  /** Endpoints to know beyond or instead of those that ship with Mirrorlake; of a lake, with the rows of its catalogue file. */
  readonly catalogue?: readonly EndpointSpec[] | undefined;
}

/** Schemas of {@link ClientOptions}; amounts and keys have errors of their own. */
export function clientOptionSchemas(): OptionSchemas<ClientOptions> {
  return {
    apiKey: z.string().optional(),
    budgetUsd: z.union([z.string(), z.number()]).optional(),
    timeoutMs: z.number().optional(),
    retry: z
      .strictObject({
        retries: z.number().int().min(0),
        backoffMs: z.number().min(0),
        maxPauseMs: z.number().min(0),
        random: CallbackOption,
        sleep: CallbackOption,
        now: CallbackOption,
      })
      .partial()
      .optional() as z.ZodType<ClientOptions["retry"]>,
    clock: ClockOption.optional(),
    catalogue: z
      .array(
        z.custom<EndpointSpec>(
          (row) => typeof row === "object" && row !== null && "id" in row,
          "must be a row",
        ),
      )
      .readonly()
      .optional(),
  };
}

/** The policy that options ask for; what they leave out is the machine's own. */
export function retryPolicyOf({ clock = systemClock, retry = {} }: ClientOptions): RetryPolicy {
  return { ...systemRetryPolicy, now: () => clock.now(), ...omitUndefined(retry) };
}

/** A time limit that a timer can hold, ms. @throws UsageError `invalid_timeout` */
export function timeoutOf(timeoutMs: number | undefined): number | undefined {
  if (timeoutMs === undefined) return undefined;
  if (Number.isSafeInteger(timeoutMs) && timeoutMs > 0 && timeoutMs < 2 ** 31) return timeoutMs;
  throw new UsageError("invalid_timeout", `Not a time in milliseconds: ${timeoutMs}`, {
    value: timeoutMs,
    remedy: "Give a whole number of milliseconds, 1 or more.",
  });
}
