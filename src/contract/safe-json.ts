import type { Json } from "./json.js";

const MAX_DEPTH = 4;
const MAX_ITEMS = 50;
const MAX_CHARACTERS = 1000;

/**
 * Converts any value to JSON of a moderate size, for logs. Bigints and dates become text. Cycles and deep or long parts are cut.
 * Values without a JSON form are named. Undefined stays undefined.
 */
export function safeJson(value: unknown): Json | undefined {
  return value === undefined ? undefined : convert(value, []);
}

function convert(value: unknown, above: readonly object[]): Json {
  switch (typeof value) {
    case "string":
      return value.length > MAX_CHARACTERS ? `${value.slice(0, MAX_CHARACTERS)}…` : value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      return value;
    case "object":
      return value === null ? null : convertObject(value, above);
    default:
      return typeof value === "bigint" ? String(value) : `[${typeof value}]`;
  }
}

function convertObject(value: object, above: readonly object[]): Json {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    return `[${value.constructor.name} of ${value.byteLength} bytes]`;
  if (above.includes(value)) return "[circular]";
  if (above.length === MAX_DEPTH) return Array.isArray(value) ? "[array]" : "[object]";
  const path = [...above, value];
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => convert(item, path));
    return value.length > MAX_ITEMS ? [...items, `… ${value.length - MAX_ITEMS} more`] : items;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const kept = entries.slice(0, MAX_ITEMS).map(([key, item]) => [key, convert(item, path)] as const);
  return Object.fromEntries(entries.length > MAX_ITEMS ? [...kept, ["…", entries.length - MAX_ITEMS]] : kept);
}
