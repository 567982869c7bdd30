import type { RowSet } from "../contract/lake/row-set.js";

const DAY_MS = 86_400_000;
/** How far the clock of the capture may be ahead: a day, which also covers time zones that were mistaken. */
export const CLOCK_SKEW_MS = DAY_MS;
/** How far a capture may be after the median, where the clock itself is doubted: ten years. */
const FROM_MEDIAN_MS = 3653 * DAY_MS;

/** Captures that are taken for mistakes because they are too late. */
export interface StrayCaptures {
  readonly count: number;
  /** The latest, ISO 8601. */
  readonly newest: string;
}

/** The as-of of records, and what was left out to find it. */
export interface AsOf {
  /** Epoch milliseconds; 0 without records. */
  readonly asOfMs: number;
  /** Absent if there are none. */
  readonly stray?: StrayCaptures;
}

/**
 * The newest capture of live records that is no mistake (decisions.md, "Time"). A capture more than a day after `nowMs` is one: nothing
 * is captured in the future. Where more than half of the captures are, the clock is wrong instead, and only what is more than ten
 * years after the median is a mistake.
 * @param nowMs the clock's time when the records are installed, epoch ms
 */
export function asOfRecords(capturedMs: Float64Array, live: RowSet, nowMs: number): AsOf {
  const rows = live.rows();
  const beyond = countAfter(capturedMs, rows, nowMs + CLOCK_SKEW_MS);
  const limit =
    beyond * 2 <= rows.length ? nowMs + CLOCK_SKEW_MS : medianOf(capturedMs, rows) + FROM_MEDIAN_MS;
  const asOfMs = newestOf(capturedMs, rows, limit);
  const count = countAfter(capturedMs, rows, asOfMs);
  if (count === 0) return { asOfMs };
  return {
    asOfMs,
    stray: { count, newest: new Date(newestOf(capturedMs, rows, Number.POSITIVE_INFINITY)).toISOString() },
  };
}

/** What is asked of captures that are not in memory. */
export interface AskedCaptures {
  /** How many there are, how many are after an instant, and the newest that is not; epoch ms, 0 for none. */
  readonly until: (
    limitMs: number,
  ) => Promise<{ readonly count: number; readonly later: number; readonly newest: number }>;
  /** The lower median, epoch ms. */
  readonly median: () => Promise<number>;
}

/** The newest capture that is no mistake, by the rule of {@link asOfRecords}; 0 for none. */
export async function newestTrue({ until, median }: AskedCaptures, nowMs: number): Promise<number> {
  const { count, later, newest } = await until(nowMs + CLOCK_SKEW_MS);
  if (later * 2 <= count) return newest;
  return (await until((await median()) + FROM_MEDIAN_MS)).newest;
}

/** The newest capture of rows that is not after a limit, in epoch milliseconds; 0 without one. */
export function newestOf(capturedMs: Float64Array, rows: Uint32Array, limit: number): number {
  let newest = 0;
  for (const row of rows) {
    const ms = capturedMs[row]!;
    if (ms > newest && ms <= limit) newest = ms;
  }
  return newest;
}

function countAfter(capturedMs: Float64Array, rows: Uint32Array, ms: number): number {
  let count = 0;
  for (const row of rows) if (capturedMs[row]! > ms) count++;
  return count;
}

function medianOf(capturedMs: Float64Array, rows: Uint32Array): number {
  const sorted = Float64Array.from(rows, (row) => capturedMs[row]!).sort();
  return sorted[(sorted.length - 1) >> 1]!;
}
