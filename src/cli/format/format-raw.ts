import type { UnifiedRecord } from "../../contract/service/unified-record.js";
import type { Output } from "../context.js";
import { displayWidth, oneLine } from "./display-width.js";
import { formatShort } from "./format-amount.js";
import { formatRecords } from "./format-records.js";
import { type Column, formatTable } from "./format-table.js";

const COMMENT_COLUMNS: readonly Column[] = [
  { header: "likes", align: "right" },
  { header: "replies", align: "right" },
  { header: "hot" },
  { header: "created" },
  { header: "where" },
  { header: "author", grow: true },
  { header: "text", grow: true },
];

/** Largest number of columns for items of an unknown shape. */
const MAX_COLUMNS = 7;

/**
 * Formats the `data` of a raw answer: a table for each list, `field value` lines for the other fields.
 * @param plain shows items by their fields alone, whatever they are: some may have been left out
 */
export function formatRaw(data: unknown, out: Output, plain = false): string {
  if (Array.isArray(data)) return formatItems(data, out, plain);
  if (!isObject(data)) return "";
  if (Array.isArray(data.items)) return formatItems(data.items, out, plain);
  const lists = Object.entries(data).filter(([, value]) => isListOfObjects(value));
  const rest = Object.fromEntries(Object.entries(data).filter(([, value]) => !isListOfObjects(value)));
  const tables = lists.map(([name, list]) => `\n${name}\n${formatItems(list as unknown[], out)}`);
  return formatFields(rest, out.columns) + tables.join("");
}

function formatItems(items: readonly unknown[], out: Output, plain = false): string {
  const width = out.columns;
  const objects = items.filter(isObject);
  if (objects.length === 0) return "";
  if (!plain && objects.every((item) => typeof item.cid === "string")) {
    const rows = objects.map((item) => [
      formatShort(Number(item.likes ?? 0)),
      String(item.reply_count ?? ""),
      item.is_hot === true ? "hot" : "",
      String(item.created_at ?? "")
        .slice(0, 16)
        .replace("T", " "),
      String(item.ip_location ?? ""),
      isObject(item.author) ? String(item.author.nickname ?? item.author.uid_hash ?? "") : "",
      String(item.text ?? ""),
    ]);
    return formatTable(COMMENT_COLUMNS, rows, width);
  }
  if (!plain && objects.every((item) => typeof item.src === "string" && typeof item.platform === "string")) {
    return formatRecords(objects as unknown as UnifiedRecord[], out);
  }
  const flat = objects.map((item) => new Map(flatten(item)));
  const keys = [...new Set(flat.flatMap((item) => [...item.keys()]))].slice(0, MAX_COLUMNS);
  return formatTable(
    keys.map((header) => ({ header, grow: !/(^|[._])c?id$/.test(header) })),
    flat.map((item) => keys.map((key) => item.get(key) ?? "")),
    width,
  );
}

function formatFields(data: Record<string, unknown>, width: number): string {
  const fields = flatten(data);
  const label = Math.max(0, ...fields.map(([path]) => displayWidth(path)));
  return formatTable(
    [{ header: "field" }, { header: "value", grow: true }],
    fields,
    Math.max(width, label + 20),
  );
}

/** Flattens an object to dotted paths. Lists of scalars are joined, other lists are JSON. */
function flatten(value: Record<string, unknown>, prefix = ""): [string, string][] {
  return Object.entries(value).flatMap(([key, item]): [string, string][] => {
    const path = `${prefix}${key}`;
    if (isObject(item)) return flatten(item, `${path}.`);
    if (Array.isArray(item)) {
      const text = item.every((part) => !isObject(part)) ? item.join(", ") : JSON.stringify(item);
      return [[path, oneLine(text)]];
    }
    return item === undefined ? [] : [[path, oneLine(String(item))]];
  });
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}
