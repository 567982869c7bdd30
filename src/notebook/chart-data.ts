import { UsageError } from "../contract/errors.js";
import { formatNumber } from "./format-value.js";
import { type Row, toRows } from "./rows.js";

/** Rows that a chart can draw, and how many it cannot. */
export interface ChartData {
  readonly rows: readonly Row[];
  /** Rows without a value: it is absent, null or not a number (`NaN`). */
  readonly missing: number;
  /** Rows with a value that no axis reaches. */
  readonly infinite: number;
}

/** A value along an axis: a number, or an instant. */
export type AxisValue = number | Date;

const DECIMAL = /^-?\d+(\.\d+)?$/;
const DAY_OR_INSTANT = /^\d{4}-\d{2}-\d{2}(T.*)?$/;

/**
 * Rows of any value supported by {@link toRows} in which every key of `keys` has a value.
 * @throws UsageError `unknown_column` if no row has one of them
 */
export function chartData(data: unknown, keys: readonly string[]): ChartData {
  const { rows } = toRows(data);
  for (const key of keys) {
    if (rows.length === 0 || rows.some((row) => row[key] !== undefined)) continue;
    throw new UsageError("unknown_column", `No row has a column ${JSON.stringify(key)}`, {
      value: key,
      remedy: `use one of ${Object.keys(rows[0] ?? {}).join(", ")}`,
    });
  }
  const present = rows.filter((row) => !keys.some((key) => isMissing(row[key])));
  const finite = present.filter((row) => !keys.some((key) => isInfinite(row[key])));
  return {
    rows: finite,
    missing: rows.length - present.length,
    infinite: present.length - finite.length,
  };
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || Number.isNaN(value);
}

function isInfinite(value: unknown): boolean {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
}

/** A number, bigint, Date, number as text (as wide decimals of SQL are), or ISO 8601 text as an axis value. @throws UsageError `not_a_number` */
export function axisValue(row: Row, key: string): AxisValue {
  const value = row[key];
  if (typeof value === "number" || value instanceof Date) return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string" && DECIMAL.test(value)) return Number(value);
  if (typeof value === "string" && DAY_OR_INSTANT.test(value)) {
    const instant = new Date(value);
    if (!Number.isNaN(instant.getTime())) return instant;
  }
  throw new UsageError(
    "not_a_number",
    `Column ${JSON.stringify(key)} holds what is neither number nor instant`,
    {
      value,
      remedy: "name a column of numbers, days or instants",
    },
  );
}

/** A number. @throws UsageError `not_a_number` */
export function numberValue(row: Row, key: string): number {
  return Number(axisValue(row, key));
}

/** The note of a chart, with the numbers of rows left out. */
export function noteWith(
  note: string | undefined,
  { missing, infinite }: Pick<ChartData, "missing" | "infinite">,
): { readonly note?: string } {
  const parts = [note, leftOut(missing, "without a value"), leftOut(infinite, "with an infinite value")];
  const text = parts.filter((part) => part !== undefined).join(" ");
  return text === "" ? {} : { note: text };
}

function leftOut(count: number, which: string): string | undefined {
  if (count === 0) return undefined;
  return `${formatNumber(count)} ${count === 1 ? "row" : "rows"} ${which} left out.`;
}

/** An axis label with its unit. */
export function withUnit(label: string, unit: string | undefined): string {
  return unit === undefined ? label : `${label} (${unit})`;
}

/** Categories of a column, the most frequent first, ties by name; after `most` of them the rest is `other`. */
export function categories(rows: readonly Row[], key: string, most: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const name = String(row[key]);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const byCount = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([name]) => name);
  return byCount.slice(0, byCount.length > most ? most - 1 : most);
}
