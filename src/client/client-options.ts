import { z } from "zod";
import { type Clock, systemClock } from "../clock.js";
import type { OptionSchemas } from "../contract/check-options.js";
import { UsageError } from "../contract/errors.js";
import { omitUndefined } from "../contract/omit-undefined.js";
import { CallbackOption, ClockOption } from "../contract/option-schemas.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { Timestamp } from "../contract/service/unified-record.js";
import type { AsOfRule } from "../service/as-of-rule.js";
import { type RetryPolicy, systemRetryPolicy } from "./retry.js";

/** Common options of {@link openLake} and {@link connect}. */
export interface ClientOptions {
  /** API key of every call. Required by a remote service. A lake's client creates a session key with all scopes by default. */
  readonly apiKey?: string | undefined;
  /** Spending limit of this client, USD (`"1.50"`, or a number). A call that could exceed it is not made. No limit by default. */
  readonly budgetUsd?: string | number | undefined;
  /** Time limit of one attempt, ms. Default: 30,000 over a network, none in process. */
  readonly timeoutMs?: number | undefined;
  /**
   * Retries of calls refused with 429 or 503; omitted fields keep their defaults. Over a network a call is retried 4
   * times by default. In process it is retried only if this option is given; `{}` also means 4 times.
   */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Clock for dates in `Retry-After`. For a lake, also for rate windows, caps and quota months. */
  readonly clock?: Clock | undefined;
  /**
   * Endpoints of the client, these and no others. Default: the shipped catalogue; for a lake, with the rows of its catalogue file and
   * those of the platforms that its slices bring.
   */
  readonly catalogue?: readonly EndpointSpec[] | undefined;
}

/** Returns the schemas of {@link ClientOptions}. Amounts and keys are validated later, with specific errors. */
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

/** Returns the retry policy of the options; omitted fields come from the system policy. */
export function retryPolicyOf({ clock = systemClock, retry = {} }: ClientOptions): RetryPolicy {
  return { ...systemRetryPolicy, now: () => clock.now(), ...omitUndefined(retry) };
}

/** Checks a time limit, ms: a positive integer below 2^31. @throws UsageError `invalid_timeout` */
export function timeoutOf(timeoutMs: number | undefined): number | undefined {
  if (timeoutMs === undefined) return undefined;
  if (Number.isSafeInteger(timeoutMs) && timeoutMs > 0 && timeoutMs < 2 ** 31) return timeoutMs;
  throw new UsageError("invalid_timeout", `Not a time in milliseconds: ${timeoutMs}`, {
    value: timeoutMs,
    remedy: "Give a whole number of milliseconds, 1 or more.",
  });
}

/** Reference time of `freshness`: newest capture (`corpus`), service clock (`system`), or an instant (ms, ISO 8601, Date). */
export type AsOf = "corpus" | "system" | number | string | Date;

/** The reference time of `freshness` as the service takes it. @throws UsageError `invalid_as_of` */
export function toAsOf(asOf: AsOf): AsOfRule {
  if (asOf === "corpus" || asOf === "system") return asOf;
  const isText = typeof asOf === "string";
  const ms = isText ? (Timestamp.safeParse(asOf).success ? Date.parse(asOf) : Number.NaN) : Number(asOf);
  if (Number.isSafeInteger(ms)) return ms;
  throw new UsageError("invalid_as_of", `Not an instant: ${String(asOf)}`, {
    value: asOf,
    remedy: 'Use "corpus", "system", a Date, milliseconds, or a time such as 2026-05-29T12:00:00Z.',
  });
}
