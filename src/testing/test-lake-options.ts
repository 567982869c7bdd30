import { z } from "zod";
import type { AsOf } from "../client/client-options.js";
import type { RetryPolicy } from "../client/retry.js";
import { optionsSchema } from "../contract/check-options.js";
import type { MicroUsd } from "../contract/money.js";
import { CallbackOption, CountOption, PathOption, TextOption } from "../contract/option-schemas.js";
import { LIMITS } from "../contract/service/limits.js";
import { Platform } from "../contract/service/platforms.js";
import type { FaultPlanInput } from "../faults/fault-plan.js";
import type { RawRow, RecordRow } from "../ingest/lake-row.js";

/** State of a test lake's account, clock and limits; each is restored by `reset`. */
export interface TestState {
  /** Seed of request ids, keys and faults. Equal seeds give equal bytes. */
  readonly seed?: string | number | undefined;
  /**
   * Where the clock starts: ISO 8601, or ms since the Unix epoch. Default: the newest capture time given, else the middle of
   * January 2026.
   */
  readonly now?: string | number | undefined;
  /** Opening balance: decimal USD such as `"0.010000"`, or micro-USD as bigint; 100 USD by default. */
  readonly balance?: string | MicroUsd | undefined;
  /** Free calls left in the month in which the clock starts: 0 to 1,000, the default. */
  readonly freeCalls?: number | undefined;
  /** `off` disables the rate window and the caps. */
  readonly limits?: "on" | "off" | undefined;
  /** Requests per minute; 60 by default, as before the first top-up. */
  readonly requestsPerMinute?: number | undefined;
  /** Calls per second of endpoints, by catalogue id, in place of the catalogue's. */
  readonly caps?: Readonly<Record<string, number>> | undefined;
  /** Prices of endpoints in decimal USD, by catalogue id, in place of the catalogue's: a service that changed. */
  readonly prices?: Readonly<Record<string, string>> | undefined;
  /** Reference time of `freshness`; `corpus` by default. */
  readonly asOf?: AsOf | undefined;
  /** Spending limit of the lake's own client, USD. */
  readonly budgetUsd?: string | number | undefined;
  /** Retries of the lake's own client; it pauses in the clock's time. None by default, as for `openLake`. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Faults that calls meet: `[{ fault: "status", status: 503, endpoint: "search", at: 1 }]`. */
  readonly faults?: FaultPlanInput | undefined;
  /** Called with each exception behind a 500 or 503. What it throws changes no answer: it is a warning of the process, `hook_failed`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Options of `createTestLake`. */
export interface TestLakeOptions extends TestState {
  /** Records; `{ platform, lang, text }` suffices. */
  readonly records?: Iterable<RecordRow> | undefined;
  /** Raw items: videos, comments, prices. */
  readonly raw?: Iterable<RawRow> | undefined;
  /**
   * A fixture that people read and review: a file of JSON Lines with further records and raw items, one a line; or, in place of rows, a
   * slice or a folder of slices, of which a lake is made on disk, by DuckDB.
   */
  readonly file?: string | undefined;
  /**
   * Folder in which the lake is made at the first use, under the hash of its content, and found from then on, also by other workers,
   * which share it. In memory by default; of slices in a temporary folder.
   */
  readonly folder?: string | undefined;
  /** Platforms of the rows beyond the shipped ones. */
  readonly platforms?: readonly Platform[] | undefined;
  /** Model that made the vectors of rows; required where rows have `vec`. */
  readonly vectorModel?: string | undefined;
}

const stateShape = () => ({
  seed: z.union([z.string(), z.number()]).optional(),
  now: z.union([z.string(), z.number()]).optional(),
  balance: z.union([z.string(), z.bigint() as unknown as z.ZodType<MicroUsd>]).optional(),
  freeCalls: CountOption.max(LIMITS.freeCallsPerMonth.value).optional(),
  limits: z.enum(["on", "off"]).optional(),
  requestsPerMinute: CountOption.optional(),
  caps: z.record(z.string(), CountOption).optional(),
  prices: z.record(z.string(), z.string()).optional(),
  asOf: z.union([z.string(), z.number(), z.instanceof(Date)]).optional(),
  budgetUsd: z.union([z.string(), z.number()]).optional(),
  retry: z.custom<Partial<RetryPolicy>>((value) => typeof value === "object" && value !== null).optional(),
  faults: z
    .custom<FaultPlanInput>(
      (value) => typeof value === "object" && value !== null,
      "must be a plan of faults",
    )
    .optional(),
  onError: CallbackOption.optional() as z.ZodType<TestState["onError"]>,
});

/** Checks of {@link TestState}. */
export const TEST_STATE = optionsSchema<TestState>(stateShape);

const Rows = z.custom<Iterable<never>>(
  (value) => typeof value === "object" && value !== null && Symbol.iterator in value,
  "must be an array, or anything that can be iterated",
);

/** Checks of {@link TestLakeOptions}. */
export const TEST_LAKE_OPTIONS = optionsSchema<TestLakeOptions>(() => ({
  ...stateShape(),
  records: Rows.optional(),
  raw: Rows.optional(),
  file: PathOption.optional(),
  folder: PathOption.optional(),
  platforms: z.array(Platform).optional(),
  vectorModel: TextOption.optional(),
}));
