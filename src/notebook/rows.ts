import { UsageError } from "../contract/errors.js";
import type { Meta } from "../contract/service/envelope.js";
import { arrowRows, isArrowTable } from "./arrow-table-rows.js";

/** One row of a table: column keys to values; nested values have dotted keys. */
export type Row = Readonly<Record<string, unknown>>;

/** Rows extracted from a value to show as a table. */
export interface RowsFound {
  /** `list`: one row per element; `fields`: the value is one object, with one row per field. */
  readonly kind: "list" | "fields";
  readonly rows: readonly Row[];
  /** Total number of elements, if `rows` is a page of them. */
  readonly total?: number;
  /** Cost of the call, if the value is an answer. */
  readonly meta?: Meta;
}

/**
 * Extracts rows from an answer (its `data`), a page (its `items`), an Arrow table, a list of records, rows of SQL, manifests or
 * plain values; for any other object, its fields.
 * @throws UsageError `invalid_argument` for a promise
 */
export function toRows(value: unknown): RowsFound {
  if (value === null || value === undefined) return { kind: "list", rows: [] };
  if (!isObject(value)) return { kind: "list", rows: [{ value }] };
  if (typeof value.then === "function")
    throw new UsageError("invalid_argument", "The data to show is a promise, which has nothing to show yet", {
      value,
      remedy: "await it: table(await lake.search(…))",
    });
  if (isAnswer(value)) return { ...toRows(value.data), meta: value.meta };
  if (Array.isArray(value.items)) {
    const { rows } = toRows(value.items);
    return { kind: "list", rows, ...(typeof value.total === "number" ? { total: value.total } : {}) };
  }
  if (isArrowTable(value)) return { kind: "list", rows: arrowRows(value).map((row) => flatten(row)) };
  if (isIterable(value)) return { kind: "list", rows: Array.from(value, toRow) };
  return {
    kind: "fields",
    rows: Object.entries(toRow(value)).map(([field, content]) => ({ field, value: content })),
  };
}

function toRow(item: unknown): Row {
  if (!isObject(item) || Array.isArray(item) || item instanceof Date) return { value: item };
  const plain: unknown = typeof item.toJSON === "function" ? item.toJSON() : item;
  if (!isObject(plain)) return { value: plain };
  return isManifest(plain) ? manifestRow(plain) : flatten(plain);
}

function flatten(item: Record<string, unknown>, prefix = ""): Row {
  const row: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(item)) {
    if (isPlain(value)) Object.assign(row, flatten(value, `${prefix}${key}.`));
    else row[`${prefix}${key}`] = value;
  }
  return row;
}

interface ManifestLike {
  readonly title: unknown;
  readonly licenses?: readonly { readonly name?: string; readonly title?: string }[];
  readonly resources: readonly { readonly bytes?: number }[];
  readonly mirrorlake: Readonly<Record<string, unknown>>;
}

/** The main facts of a slice; bytes are those of its files. */
function manifestRow({ title, licenses, resources, mirrorlake }: ManifestLike): Row {
  const facts = flatten(mirrorlake);
  return {
    title,
    domain: facts["filter.domain"],
    platform: facts["filter.platform"],
    lang: facts["filter.lang"],
    month: String(facts["filter.from"] ?? "").slice(0, 7),
    records: facts["counts.records"],
    raw: facts["counts.raw"],
    vectors: facts["counts.vectors"],
    bytes: resources.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
    licence: (licenses ?? []).map(({ name, title: named }) => name ?? named ?? "").join(", "),
    root: facts.root,
  };
}

function isManifest(value: Record<string, unknown>): value is Record<string, unknown> & ManifestLike {
  return "$schema" in value && Array.isArray(value.resources) && isPlain(value.mirrorlake);
}

function isAnswer(
  value: Record<string, unknown>,
): value is { data: unknown; meta: Meta } & Record<string, unknown> {
  return typeof value.request_id === "string" && "data" in value && isPlain(value.meta);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
