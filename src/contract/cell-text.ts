import { wholeJson } from "./whole-json.js";

/**
 * The text of a value of a row in a table or in CSV. Lists and objects are JSON with whole numbers in all their digits; bytes are as DuckDB prints them, `\xAA` where they are
 * no printable ASCII; nothing is the empty text.
 */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return bytesText(value);
  if (typeof value !== "object") return String(value);
  return wholeJson(value, (part) => (part instanceof Uint8Array ? bytesText(part) : part));
}

/** Bytes as DuckDB prints them. Quotes and backslashes are escaped, too, so that the text says one thing alone. */
export function bytesText(bytes: Uint8Array): string {
  const hex = (byte: number) => `\\x${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  return Array.from(bytes, (byte) =>
    byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x27 || byte === 0x5c
      ? hex(byte)
      : String.fromCharCode(byte),
  ).join("");
}
