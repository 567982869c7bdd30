import { type ColumnKind, digitsOf, kindOf } from "./format-value.js";
import type { Row } from "./rows.js";

/** A column of a table. Only `key` is needed; the rest is inferred from the values. */
export interface Column {
  /** Key of the value; dots address nested values: `price.current`. */
  readonly key: string;
  /** Heading. Default: the key. */
  readonly label?: string;
  /** Unit, shown once, in the heading. */
  readonly unit?: string;
  /** Decimal places of numbers. */
  readonly digits?: number;
  /** Draws each number as a bar too; all bars start at zero on one scale. */
  readonly bar?: boolean;
  readonly kind?: ColumnKind;
}

/** A column with every property resolved. */
export interface ResolvedColumn {
  readonly key: string;
  readonly label: string;
  readonly unit: string | undefined;
  /** Key of each value's own unit, if units differ between rows. */
  readonly unitKey: string | undefined;
  readonly digits: number;
  readonly bar: boolean;
  readonly kind: ColumnKind;
}

/** The given columns, or columns that suit the rows. */
export function resolveColumns(
  rows: readonly Row[],
  given: readonly (string | Column)[] | undefined,
): readonly ResolvedColumn[] {
  const columns = given ?? (rows.some(isRecordRow) ? recordColumns(rows) : rowColumns(rows));
  return columns.map((column) => resolve(rows, typeof column === "string" ? { key: column } : column));
}

function resolve(rows: readonly Row[], column: Column): ResolvedColumn {
  const values = rows.map((row) => row[column.key]);
  const kind = column.kind ?? kindOf(column.key, values);
  const known = KNOWN[column.key] ?? {};
  const currencies = column.key === "price.current" ? distinct(rows, "price.currency") : [];
  return {
    key: column.key,
    label: column.label ?? known.label ?? column.key,
    unit: column.unit ?? known.unit ?? (currencies.length === 1 ? currencies[0] : unitOf(column.key, kind)),
    unitKey: currencies.length > 1 ? "price.currency" : undefined,
    digits: column.digits ?? known.digits ?? digitsOf(values),
    bar: column.bar ?? false,
    kind,
  };
}

const KNOWN: Readonly<
  Record<string, { readonly label?: string; readonly unit?: string; readonly digits?: number }>
> = {
  "price.current": { label: "price", digits: 2 },
  "price.drop_7d": { label: "7-day change", unit: "%", digits: 1 },
  price_drop_7d: { unit: "%" },
  "sentiment.score": { label: "sentiment" },
  "sentiment.label": { label: "label" },
  "prov.ts": { label: "captured" },
  "author.followers": { label: "followers" },
};

/** Unit of a column: times are shown in UTC, and columns named `…_s` hold seconds. */
function unitOf(key: string, kind: ColumnKind): string | undefined {
  if (kind === "time") return "UTC";
  return kind === "number" && /_s$/.test(key) ? "s" : undefined;
}

function isRecordRow(row: Row): boolean {
  return (
    typeof row.id === "string" &&
    typeof row.src === "string" &&
    typeof row.platform === "string" &&
    "lang" in row
  );
}

/** Columns of records: one per metric for one domain; records of several domains share a column of figures. */
function recordColumns(rows: readonly Row[]): readonly Column[] {
  const keys = keysOf(rows);
  const metrics = keys.filter((key) => key.startsWith("metrics."));
  const oneDomain = distinct(rows, "src").length === 1;
  const has = (key: string) => (keys.includes(key) ? [{ key }] : []);
  return [
    { key: RECORD, label: "record", kind: "record" },
    { key: "platform" },
    { key: "lang" },
    ...(oneDomain ? has("author.followers") : []),
    ...(oneDomain
      ? metrics.map((key) => ({ key, label: key.slice("metrics.".length).replaceAll("_", " ") }))
      : []),
    ...(!oneDomain && metrics.length > 0 ? [{ key: FIGURES, label: "figures", kind: "text" as const }] : []),
    ...has("price.current"),
    ...has("price.drop_7d"),
    ...has("sentiment.score"),
    ...has("entities"),
    ...has("prov.ts"),
    { key: "id" },
  ];
}

/** Pseudo-key of a record's title and text. */
export const RECORD = "(record)";
/** Pseudo-key of a record's metrics as text. */
export const FIGURES = "(figures)";

function rowColumns(rows: readonly Row[]): readonly Column[] {
  return keysOf(rows).map((key) => ({ key }));
}

/** Keys that some row has a value for, in order of appearance; if no row has values, all keys. */
function keysOf(rows: readonly Row[]): readonly string[] {
  const keys = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key);
  return [...keys];
}

function distinct(rows: readonly Row[], key: string): readonly string[] {
  const values = rows.map((row) => row[key]).filter((value) => typeof value === "string");
  return [...new Set(values)];
}
