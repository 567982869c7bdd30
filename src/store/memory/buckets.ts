import type { RawItem } from "../../contract/slice/slice-item.js";
import { monthNumber, monthStartMs } from "../../contract/utc-calendar.js";
import type { BucketUnit, RawBucket } from "../corpus.js";
import { microsOf, scoreOf } from "../score-sums.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Days from 1970-01-01, a Thursday, back to a Monday. */
const MONDAY = 3;

/** Counts items by time unit of `created_at`, in time order; items without it are left out. */
export function bucketsOf(items: readonly RawItem[], unit: BucketUnit): RawBucket[] {
  const buckets = new Map<number, { count: number; micros: bigint }>();
  for (const { created_at, score } of items) {
    if (created_at === undefined) continue;
    const start = startOf(Date.parse(created_at), unit);
    const bucket = buckets.get(start) ?? { count: 0, micros: 0n };
    buckets.set(start, { count: bucket.count + 1, micros: bucket.micros + microsOf(score) });
  }
  return [...buckets]
    .sort(([a], [b]) => a - b)
    .map(([start, { count, micros }]) => ({
      start: new Date(start).toISOString(),
      count,
      score: scoreOf(micros),
    }));
}

function startOf(ms: number, unit: BucketUnit): number {
  if (unit === "hour") return Math.floor(ms / HOUR_MS) * HOUR_MS;
  const day = Math.floor(ms / DAY_MS);
  if (unit === "day") return day * DAY_MS;
  if (unit === "week") return (day - ((((day + MONDAY) % 7) + 7) % 7)) * DAY_MS;
  return monthStartMs(monthNumber(ms));
}
