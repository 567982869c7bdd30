const NEEDS_QUOTES = /[",\r\n]|^$|^\s|\s$/;

/**
 * One record of CSV after RFC 4180, with its line end. NULL is an empty field, an empty text is `""`; lists and objects
 * are JSON text.
 */
export function csvRecord(values: readonly unknown[]): string {
  const line = values.map(field).join(",");
  // A record of one NULL would be an empty line, which is no record.
  return `${line === "" ? '""' : line}\r\n`;
}

function field(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
