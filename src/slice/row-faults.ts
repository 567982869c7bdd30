import type { z } from "zod";
import { firstFault } from "../contract/rule-text.js";
import { EXTRA_KEYS, StoredRecord } from "../contract/service/unified-record.js";
import { canonicalJson } from "../contract/slice/canonical-json.js";
import { RawItem } from "../contract/slice/slice-item.js";
import type { Column, TableRow } from "./column.js";
import { type Fault, jsonFault, longTextFault } from "./json-fault.js";
import { RAW_COLUMNS, rawOfRow } from "./raw-columns.js";
import { RECORD_COLUMNS, recordOfRow } from "./record-columns.js";
import { hasSurelySoundKeys, isSurelySoundRecord } from "./surely-sound.js";

const RawKeys = RawItem.omit({ data: true });
const RAW_KEY_COLUMNS = RAW_COLUMNS.filter(({ name }) => name !== "data");
const KNOWN_EXTRA: ReadonlySet<string> = new Set(EXTRA_KEYS);

/** The first fault of a record; undefined for one that a slice can hold (service.md section 2.3). */
export function recordFault(record: StoredRecord): Fault | undefined {
  if (isSurelySoundRecord(record)) return undefined;
  const parsed = StoredRecord.safeParse(record);
  if (!parsed.success) return issueFault(parsed.error, record);
  const { text, title, comment_thread, review_sample, entities } = record;
  return (
    jsonFault(record) ??
    longTextFault("text", text) ??
    longTextFault("title", title) ??
    longTextFault("comment_thread", comment_thread?.join("")) ??
    longTextFault("review_sample", review_sample?.join("")) ??
    longTextFault("entities", entities?.join(""))
  );
}

/** The first fault of a raw item; undefined for one that a slice can hold. */
export function rawFault(item: RawItem): Fault | undefined {
  if (hasSurelySoundKeys(item)) return dataFault(item.data);
  const { data, ...keys } = item;
  const parsed = RawKeys.safeParse(keys);
  if (!parsed.success) return issueFault(parsed.error, item);
  return dataFault(data) ?? jsonFault(keys);
}

/** The first fault of a raw item's `data`, which may have as many levels as a row of a source. */
export function dataFault(data: unknown): Fault | undefined {
  if (typeof data !== "object" || data === null || Array.isArray(data))
    return { field: "data", value: data, rule: "must be an object" };
  const fault = jsonFault(data);
  return fault === undefined ? undefined : { ...fault, field: `data.${fault.field}` };
}

/** The first fault of a raw item's `data` as text. It need not be written as we write it. */
export function dataTextFault(text: string): Fault | undefined {
  const parsed = parsedJson(text);
  return parsed === NOT_JSON ? { field: "data", value: text, rule: "must be JSON" } : dataFault(parsed);
}

/** Whether an `extra_other` is surely sound, without a look at the rest of its row. */
export function isPlainExtra(text: string): boolean {
  const extra = parsedJson(text);
  if (typeof extra !== "object" || extra === null || Array.isArray(extra)) return false;
  if (jsonFault(extra) !== undefined || canonicalJson(extra) !== text) return false;
  return Object.entries(extra).every(([key, value]) => {
    if (KNOWN_EXTRA.has(key)) return false;
    return Array.isArray(value)
      ? value.every((item) => item !== null && typeof item !== "object")
      : value !== null && typeof value !== "object";
  });
}

/** The first fault of a row of `records.parquet`: of its record, or a column that the record would not have. */
export function recordRowFault(row: TableRow): Fault | undefined {
  return rowFault(row, "extra_other", recordOfRow, recordFault, RECORD_COLUMNS);
}

/** The first fault of a row of `raw.parquet`. */
export function rawRowFault(row: TableRow): Fault | undefined {
  return rowFault(row, "data", rawOfRow, rawFault, RAW_KEY_COLUMNS);
}

function rowFault<T>(
  row: TableRow,
  json: string,
  read: (row: TableRow) => T,
  faultOf: (item: T) => Fault | undefined,
  columns: readonly Column<T>[],
): Fault | undefined {
  if (row[json] !== null && parsedJson(row[json] as string) === NOT_JSON)
    return { field: json, value: row[json], rule: "must be JSON" };
  const item = read(row);
  const fault = faultOf(item);
  if (fault !== undefined) return fault;
  for (const { name, of } of columns) {
    const expected = of(item);
    if (isSame(row[name], expected)) continue;
    return {
      field: name,
      value: row[name],
      rule: `must agree with the row's other columns (${JSON.stringify(expected)})`,
    };
  }
  return undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

const NOT_JSON = Symbol("not JSON");

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

function issueFault(error: z.ZodError, item: unknown): Fault {
  const { path, words } = firstFault(error);
  const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null)?.[key], item);
  return { field: path.map(String).join("."), value, rule: words };
}
