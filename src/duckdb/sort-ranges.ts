import type { Database, SqlValue } from "./database.js";

/** To share rows out to sorts one id of so many at most is looked at, and of fewer rows as many as give a sample of so many rows. */
const SAMPLED = 64;
const SAMPLE_ROWS = 8192;

/** Rows that the engine merges at once: it holds all of them in memory, however wide they are, and spills none. */
const MERGED_ROWS = 122_880;

/** Limits of one sort. */
export interface SortLimits {
  readonly sortRows: number;
  /** Bytes of those of its rows that are merged at once. */
  readonly sortBytes: number;
}

/** A range of the keys of a sort: a WHERE clause, empty if it has all rows, and its parameters. */
export interface SortRange {
  readonly where: string;
  readonly values: readonly SqlValue[];
}

/** The range of a sort that has all rows. */
export const ALL_ROWS: SortRange = { where: "", values: [] };

/** Rows that are sorted. */
export interface Sorted {
  readonly from: string;
  /** How many they are, about. */
  readonly rows: number;
  /** Columns that they are sorted by; no two rows agree in all of them, and few in the last one. */
  readonly keys: readonly string[];
  /** SQL of the bytes that a row takes in a sort. */
  readonly bytes: string;
}

/**
 * The ranges of the keys, in their order, that are sorted each by a sort of its own: a sort holds the rows that it merges in memory, and
 * some of each of its runs, so that it would end with "out of memory" where they are wide or many.
 */
export async function sortRanges(
  db: Database,
  { from, rows, keys, bytes }: Sorted,
  limits: SortLimits,
): Promise<SortRange[]> {
  const sampled = Math.min(SAMPLED, Math.max(1, Math.floor(rows / SAMPLE_ROWS)));
  const names = keys.map((key, i) => `${key} AS key${i}`).join(", ");
  const sample = await db.rows<SampledRow>(
    `SELECT ${names}, ${bytes} AS bytes FROM ${from} WHERE hash(${keys.at(-1)}) % ${sampled} = 0
      ORDER BY ${keys.join(", ")}`,
  );
  const bounds = sortStarts(sample, sampled, limits).map((at) => keys.map((_, i) => sample[at]![`key${i}`]!));
  return [...bounds, undefined].map((bound, i) => {
    const before = bounds[i - 1];
    const conditions = [
      ...(before === undefined ? [] : [`NOT (${isLess(keys)})`]),
      ...(bound === undefined ? [] : [`(${isLess(keys)})`]),
    ];
    return {
      where: conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`,
      values: [
        ...(before === undefined ? [] : lessValues(before)),
        ...(bound === undefined ? [] : lessValues(bound)),
      ],
    };
  });
}

/** A row of a sample: its keys, and its bytes in a sort. */
type SampledRow = Readonly<Record<string, SqlValue>> & { readonly bytes: number };

/**
 * Which rows of a sample in the order of the keys each sort but the first begins with: no sort has more rows than it may, nor more
 * bytes in any rows that are merged at once. Languages are rows side by side, and those of one may be wider than of all on average.
 */
export function sortStarts(
  sample: readonly { readonly bytes: number }[],
  sampled: number,
  { sortRows, sortBytes }: SortLimits,
): number[] {
  const starts: number[] = [];
  let start = 0;
  let merged = 0;
  let bytes = 0;
  for (const [i, row] of sample.entries()) {
    bytes += row.bytes * sampled;
    for (; (i - merged + 1) * sampled > MERGED_ROWS; merged++) bytes -= sample[merged]!.bytes * sampled;
    if (i === start || (bytes <= sortBytes && (i - start + 1) * sampled <= sortRows)) continue;
    starts.push(i);
    start = merged = i;
    bytes = row.bytes * sampled;
  }
  return starts;
}

/** Whether a row's keys come before those given as parameters: a < ? OR (a = ? AND (b < ? …)). */
function isLess([key, ...rest]: readonly string[]): string {
  return rest.length === 0 ? `${key} < ?` : `${key} < ? OR (${key} = ? AND (${isLess(rest)}))`;
}

/** The parameters of {@link isLess}. */
function lessValues(keys: readonly SqlValue[]): SqlValue[] {
  return keys.flatMap((key, i) => (i === keys.length - 1 ? [key] : [key, key]));
}
