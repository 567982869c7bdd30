const NEEDS_QUOTES = /[",\r\n]|^$|^\s|\s$/;

/**
 * Formats one CSV record (RFC 4180) with its line end. NULL is an empty field, an empty text `""`; lists and objects are JSON
 * text.
 */
export function csvRecord(values: readonly unknown[]): string {
  const line = values.map(field).join(",");
  // A record of one NULL would be an empty line, which readers skip.
  return `${line === "" ? '""' : line}\r\n`;
}

function field(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
