import { UsageError } from "../contract/errors.js";
import { formatNumber } from "./format-value.js";
import { type Row, toRows } from "./rows.js";

/** Rows that a chart can draw, and the number of rows left out for a missing value. */
export interface ChartData {
  readonly rows: readonly Row[];
  readonly leftOut: number;
}

/** A value along an axis: a number, or an instant. */
export type AxisValue = number | Date;

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
  const whole = rows.filter((row) => keys.every((key) => row[key] !== null && row[key] !== undefined));
  return { rows: whole, leftOut: rows.length - whole.length };
}

/** A number, bigint, Date, or ISO 8601 text as an axis value. @throws UsageError `not_a_number` */
export function axisValue(row: Row, key: string): AxisValue {
  const value = row[key];
  if (typeof value === "number" || value instanceof Date) return value;
  if (typeof value === "bigint") return Number(value);
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

/** The note of a chart, with the number of rows left out. */
export function noteWith(note: string | undefined, leftOut: number): { readonly note?: string } {
  const missing =
    leftOut === 0
      ? undefined
      : `${formatNumber(leftOut)} ${leftOut === 1 ? "row" : "rows"} without a value left out.`;
  const text = [note, missing].filter((part) => part !== undefined).join(" ");
  return text === "" ? {} : { note: text };
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
