import { z } from "zod";
import { LIMITS } from "./limits.js";
import { Timestamp } from "./unified-record.js";

const HOUR_MS = 3_600_000;
const UNIT_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS };

/** Milliseconds of a window such as `24h` or `7d`; NaN for any other text. */
export function windowMs(window: string): number {
  const match = /^([0-9]+)(h|d)$/.exec(window);
  return match ? Number(match[1]) * UNIT_MS[match[2]!]! : Number.NaN;
}

/** Pattern of a time window, as JSON Schema has it. */
export const WINDOW_PATTERN = "^[0-9]+(h|d)$";
const FRESHNESS_RANGE = "must be from 1h to 90d";

/** A time window from 1h to 90d (service.md sections 4.1 and 8). */
export const Freshness = z
  .string()
  .regex(new RegExp(WINDOW_PATTERN), "must match ^[0-9]+(h|d)$, as in 24h or 7d")
  .refine(isInRange, FRESHNESS_RANGE)
  .describe("How far back from as-of, in hours or days, from 1h to 90d; both ends count.");

function isInRange(window: string): boolean {
  const ms = windowMs(window);
  return Number.isNaN(ms) || (ms >= LIMITS.freshnessMinMs.value && ms <= LIMITS.freshnessMaxMs.value);
}

/** Whether `freshness`, if it is a window, is from 1h to 90d. */
export function isFresh({ freshness }: { readonly freshness?: unknown }): boolean {
  return typeof freshness !== "string" || isInRange(freshness);
}

/** Message for parameters that {@link isFresh} rejects. */
export const FRESH = { error: FRESHNESS_RANGE, path: ["freshness"] };

/** The window of a local lake that has no start (decisions.md, "Local extensions"); the service does not know it. */
export const ALL_TIME = "all";

/** Whether a window is one that only a local lake takes, and only where it was opened for it: `all`, or over 90 days. */
export function isLocalWindow(window: unknown): window is string {
  if (window === ALL_TIME) return true;
  const ms = typeof window === "string" ? windowMs(window) : Number.NaN;
  return Number.isSafeInteger(ms) && ms > LIMITS.freshnessMaxMs.value;
}

/** A list without duplicates. */
export function uniqueItems<Item extends z.ZodType<string>>(item: Item) {
  return z
    .array(item)
    .refine((items) => new Set(items).size === items.length, "must not repeat an item")
    .meta({ uniqueItems: true });
}

/** Text of `min` to `max` characters, counted as Unicode code points, as JSON Schema counts them. */
export function text(min: number, max: number) {
  return z
    .string()
    .refine((value) => hasCharacters(value, min, max), `must have ${min} to ${max} characters`)
    .meta({ minLength: min, maxLength: max });
}

/** Whether a text has `min` to `max` Unicode code points. */
export function hasCharacters(value: string, min: number, max: number): boolean {
  // A string has at least half as many code points as code units: do not walk a huge one.
  if (value.length > max * 2) return false;
  const length = value.length <= max && value.length >= min * 2 ? value.length : [...value].length;
  return length >= min && length <= max;
}

/** A whole number within bounds, with its default. */
export function integer(min: number, max: number, fallback: number) {
  return z.number().int().min(min).max(max).default(fallback);
}

/** Cursor of a page: an offset, from the previous answer (service.md section 4.2.2). */
export const Cursor = z
  .number()
  .int()
  .min(LIMITS.commentsCursorMin.value)
  .default(LIMITS.commentsCursorDefault.value)
  .describe("Where the page starts: the cursor of the previous answer.");

/** Items of a comments page (service.md section 4.2.2). */
export const CommentCount = integer(
  LIMITS.commentsCountMin.value,
  LIMITS.commentsCountMax.value,
  LIMITS.commentsCountDefault.value,
).describe("Items of a page.");

/** An instant with its offset, or a calendar day in UTC. */
export const DayOrInstant = z.union([Timestamp, z.iso.date()], {
  error: "must be an ISO 8601 date, or a time with an offset",
});

/** First millisecond of a day or instant. */
export function startMs(value: string): number {
  return Date.parse(value);
}

/** Last millisecond of a day (UTC), or the instant itself. */
export function endMs(value: string): number {
  return Date.parse(value) + (value.length === 10 ? 24 * HOUR_MS - 1 : 0);
}

/** A time window as a caller passes it; an absent bound is open. */
export interface WindowParams {
  /** First day (UTC) or instant, inclusive. */
  readonly from?: string;
  /** Last day (UTC) or instant, inclusive. */
  readonly to?: string;
}

/** The window in milliseconds since the Unix epoch, both bounds inclusive. */
export function windowOf({ from, to }: WindowParams): { readonly fromMs?: number; readonly toMs?: number } {
  return {
    fromMs: from === undefined ? undefined : startMs(from),
    toMs: to === undefined ? undefined : endMs(to),
  };
}

/** Whether `to` is not before `from`; true if either is absent. */
export function isOrdered(params: object): boolean {
  const { from, to } = params as { readonly from?: string; readonly to?: string };
  return from === undefined || to === undefined || startMs(from) <= endMs(to);
}

/** Message for a window that {@link isOrdered} rejects; `to` is the offending parameter. */
export const ORDERED = { error: "must not be before from", path: ["to"] };

/** Parameters of a window of the account's own entries: its days are those of usage and quota, in Asia/Singapore. */
export const ACCOUNT_WINDOW = {
  from: DayOrInstant.optional().describe("From this day (Asia/Singapore) or instant on."),
  to: DayOrInstant.optional().describe("Up to this day (Asia/Singapore) or instant."),
};

/** The window of account entries in milliseconds since the Unix epoch, both bounds inclusive; days are those of Asia/Singapore. */
export function accountWindowOf({ from, to }: WindowParams): {
  readonly fromMs?: number;
  readonly toMs?: number;
} {
  return {
    fromMs: from === undefined ? undefined : startMs(from) - zoneMs(from),
    toMs: to === undefined ? undefined : endMs(to) - zoneMs(to),
  };
}

/** Whether `to` is not before `from`, as {@link accountWindowOf} reads them; true if either is absent. */
export function isAccountWindowOrdered(params: WindowParams): boolean {
  const { fromMs, toMs } = accountWindowOf(params);
  return fromMs === undefined || toMs === undefined || fromMs <= toMs;
}

/** How much earlier than in UTC a day begins; instants name their own offset. */
function zoneMs(value: string): number {
  return value.length === "2026-05-31".length ? LIMITS.quotaZoneOffsetMs.value : 0;
}
