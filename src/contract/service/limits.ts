import { parseUsd } from "../money.js";
import type { Label } from "./label.js";
import { VECTOR_DIMENSIONS } from "./unified-record.js";

/** One number of the service, with its label. */
export interface Limit<T> {
  readonly value: T;
  readonly label: Label;
}

const specified = <const T>(value: T): Limit<T> => ({ value, label: "specified" });
const assumed = <const T>(value: T): Limit<T> => ({ value, label: "assumed" });

/**
 * Every number of service.md section 8 (and its repetitions in section 4), and the numbers that decisions.md adds where
 * service.md is silent. Durations are milliseconds, lengths characters, money micro-USD.
 */
export const LIMITS = {
  /** Requests per minute and account before the first top-up. */
  requestsPerMinute: specified(60),
  /** Requests per minute and account after the first top-up. */
  requestsPerMinuteToppedUp: specified(600),
  /** The minute slides: at most the limit in any 60 s, so code that passes here passes fixed windows too. */
  rateWindowMs: assumed(60_000),
  /** Calls to a capped endpoint are counted over any one second. */
  capWindowMs: specified(1_000),

  searchCapPerSecond: specified(100),
  rawVideoCapPerSecond: specified(5),
  /** Cap of every endpoint without one in service.md. */
  defaultCapPerSecond: assumed(20),

  /** Free calls per calendar month, on free-eligible endpoints only. */
  freeCallsPerMonth: specified(1_000),
  /** Offset of Asia/Singapore: UTC+08:00 all year. */
  quotaZoneOffsetMs: specified(8 * 3_600_000),

  searchQueryMinLength: specified(1),
  searchQueryMaxLength: specified(500),
  searchLimitMin: specified(1),
  searchLimitMax: specified(100),
  searchLimitDefault: specified(20),
  freshnessMinMs: specified(3_600_000),
  freshnessMaxMs: specified(90 * 86_400_000),
  freshnessDefault: specified("24h"),

  commentsCursorMin: specified(0),
  commentsCursorDefault: specified(0),
  commentsCountMin: specified(1),
  commentsCountMax: specified(50),
  commentsCountDefault: specified(20),

  vectorDimensions: specified(VECTOR_DIMENSIONS),

  searchPrice: specified(parseUsd("0.004000")),
  rawVideoPrice: specified(parseUsd("0.001500")),
  rawCommentsPrice: specified(parseUsd("0.001500")),
  /** Price of every raw resource without one in service.md. */
  defaultRawPrice: assumed(parseUsd("0.001500")),
  /** Price of the slices and account endpoints. */
  defaultOtherPrice: assumed(parseUsd("0.000000")),
  /** Opening balance of a new local account. It does not count as a top-up. */
  sandboxBalance: assumed(parseUsd("100.000000")),
} as const satisfies Record<string, Limit<unknown>>;
