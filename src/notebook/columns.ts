import { type ColumnKind, digitsOf, kindOf } from "./format-value.js";
import type { Row } from "./rows.js";

/** A column of a table. Only `key` is needed; the rest is inferred from the values. */
export interface Column {
  /** Key of the value; dots lead into what is nested: `price.current`. */
  readonly key: string;
  /** Heading; the key by default. */
  readonly label?: string;
  /** Unit, shown once, in the heading. */
  readonly unit?: string;
  /** Decimals of numbers. */
  readonly digits?: number;
  /** Draws each number as a bar too, from zero, all on one scale. */
  readonly bar?: boolean;
  readonly kind?: ColumnKind;
}

/** A column with nothing left to infer. */
export interface ResolvedColumn {
  readonly key: string;
  readonly label: string;
  readonly unit: string | undefined;
  /** Key of each value's own unit, where it is not the same in all rows. */
  readonly unitKey: string | undefined;
  readonly digits: number;
  readonly bar: boolean;
  readonly kind: ColumnKind;
}

/** The columns that were asked for, or those that suit the rows. */
export function resolveColumns(
  rows: readonly Row[],
  asked: readonly (string | Column)[] | undefined,
): readonly ResolvedColumn[] {
  const columns = asked ?? (rows.some(isRecordRow) ? recordColumns(rows) : rowColumns(rows));
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

/** Times are shown in UTC, and columns named `…_s` hold seconds. */
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

/** Of records of one domain, each metric has a column; those of several domains share one for what they have. */
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

/** Pseudo-key of a record's title with its text. */
export const RECORD = "(record)";
/** Pseudo-key of what is counted of a record, in words. */
export const FIGURES = "(figures)";

function rowColumns(rows: readonly Row[]): readonly Column[] {
  return keysOf(rows).map((key) => ({ key }));
}

/** Keys that some row has a value for, in the order in which they first come; those without any value come too. */
function keysOf(rows: readonly Row[]): readonly string[] {
  const keys = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key);
  return [...keys];
}

function distinct(rows: readonly Row[], key: string): readonly string[] {
  const values = rows.map((row) => row[key]).filter((value) => typeof value === "string");
  return [...new Set(values)];
}
