import { z } from "zod";
import { explainIssues } from "../contract/check-options.js";
import { errorValue } from "../contract/error-value.js";
import { UsageError } from "../contract/errors.js";

const count = z.number().int().min(1);
const share = z.number().min(0).max(1).default(0.5);

/** Which calls a fault meets. Without a condition: every call of the endpoint. */
const When = {
  /** Catalogue id, or a pattern with `*`: `search`, `raw.*`, `raw.*.comments`. */
  endpoint: z.string().min(1).default("*"),
  /** Numbers of the endpoint's calls, from 1. */
  at: z.union([count, z.array(count)]).optional(),
  /** Every n-th call. */
  every: count.optional(),
  /** Share of calls, drawn from the seed. */
  rate: z.number().min(0).max(1).optional(),
  /** Calls left alone at first. */
  after: z.number().int().min(0).optional(),
  /** How often it happens at most. */
  times: count.optional(),
};

const time = {
  /** `virtual`: in the time of the lake's clock, which the test moves. Over a network only `real`, the default, is felt. */
  time: z.enum(["real", "virtual"]).default("real"),
};

/** Statuses that can be injected, with the code of each. */
export const INJECTED_CODES = {
  401: "invalid_api_key",
  402: "insufficient_credits",
  403: "forbidden",
  404: "not_found",
  429: "rate_limited",
  500: "internal_error",
  502: "bad_gateway",
  503: "service_unavailable",
  504: "gateway_timeout",
} as const;

/** One fault, and when it happens. */
export const FaultRule = z.discriminatedUnion("fault", [
  z.strictObject({
    ...When,
    /** An answer with an error's status. It is never charged (service.md section 7). */
    fault: z.literal("status"),
    status: z.literal(Object.keys(INJECTED_CODES).map(Number) as (keyof typeof INJECTED_CODES)[]),
    /** Which 429: of the account, or of the endpoint. */
    code: z.enum(["rate_limited", "endpoint_busy"]).optional(),
    /** `Retry-After` of a 429 or 503, seconds; 1 for a 429 by default. */
    retryAfterS: z.number().int().min(0).max(86_400).optional(),
  }),
  z.strictObject({ ...When, ...time, fault: z.literal("latency"), ms: z.number().min(0).max(3_600_000) }),
  z.strictObject({
    ...When,
    ...time,
    /** Latency that is spread log-normally: half the calls take longer than the median. */
    fault: z.literal("slow"),
    medianMs: z.number().min(0).max(3_600_000),
    /** Standard deviation of the logarithm; 0.5 by default. */
    sigma: z.number().min(0).max(5).default(0.5),
  }),
  /** No answer, until the caller gives up. Not charged. */
  z.strictObject({ ...When, fault: z.literal("hang") }),
  /** The connection is dropped before the answer; the call was not made. */
  z.strictObject({ ...When, fault: z.literal("drop") }),
  /** The connection is dropped in the body, after this share of it. The call was answered, so it is charged. */
  z.strictObject({ ...When, fault: z.literal("cut"), share }),
  /** The body ends after this share, as if it were whole. Charged. */
  z.strictObject({ ...When, fault: z.literal("short"), share }),
  /** A body of the right length that is not JSON. Charged. */
  z.strictObject({ ...When, fault: z.literal("malformed-json") }),
  /** A body in chunks of which the second has no length. Charged. */
  z.strictObject({ ...When, fault: z.literal("malformed-chunk"), share }),
  /** Pages begin this many items early, so that neighbours overlap (service.md section 4.2.2). */
  z.strictObject({ ...When, fault: z.literal("overlap"), items: count.default(3) }),
  /** Pages lose this many items, and `total` counts them no more. */
  z.strictObject({ ...When, fault: z.literal("shrink"), items: count.default(1) }),
  /** The service clock jumps, forward or back, before the call. */
  z.strictObject({ ...When, fault: z.literal("clock-jump"), ms: z.number().int() }),
]);
/** A fault with every default filled in. */
export type FaultRule = Readonly<z.infer<typeof FaultRule>>;
/** A fault as it is written: `{ fault: "status", status: 503, at: 1 }`. */
export type FaultInput = Readonly<z.input<typeof FaultRule>>;

const DEFAULT_SEED = "faults";

/** Content of a file of faults. */
export const FaultPlan = z.strictObject({
  /** Seed of rates and latencies. */
  seed: z.union([z.string(), z.number()]).default(DEFAULT_SEED),
  faults: z.array(FaultRule),
});
export type FaultPlan = Readonly<z.infer<typeof FaultPlan>>;
/** A plan as it is written: a list of faults, or an object with a seed. */
export type FaultPlanInput =
  | readonly FaultInput[]
  | { readonly seed?: string | number | undefined; readonly faults: readonly FaultInput[] };

/** The plan of most lakes, for which no schema has to be compiled. */
const NONE: FaultPlan = { seed: DEFAULT_SEED, faults: [] };

/**
 * Checks a plan of faults.
 * @throws UsageError `invalid_faults`, which names what is wrong
 */
export function faultPlanOf(input: unknown): FaultPlan {
  if (Array.isArray(input) && input.length === 0) return NONE;
  const plan = Array.isArray(input) ? { faults: input } : input;
  const parsed = FaultPlan.safeParse(plan);
  if (parsed.success) return parsed.data;
  const issues = explainIssues(parsed.error, plan, { schema: FaultPlan, noun: "field" });
  throw new UsageError(
    "invalid_faults",
    `Not a plan of faults: ${issues.map(({ problem }) => problem).join("; ")}`,
    {
      value: errorValue(input),
      remedy: 'Write {"faults": [{"fault": "status", "status": 503, "endpoint": "search", "at": 1}]}.',
    },
  );
}
