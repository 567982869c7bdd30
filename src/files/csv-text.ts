const NEEDS_QUOTES = /[",\r\n]|^$|^\s|\s$/;
/** What spreadsheets take for the beginning of a formula, full-width forms included. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** How CSV is written. */
export interface CsvOptions {
  /** Whether a text that a spreadsheet would take for a formula gets a leading apostrophe; numbers never do. */
  readonly escapeFormulas?: boolean;
}

/**
 * Formats one CSV record (RFC 4180) with its line end. NULL is an empty field, an empty text `""`; lists and objects are JSON
 * text.
 */
export function csvRecord(values: readonly unknown[], { escapeFormulas = false }: CsvOptions = {}): string {
  const line = values.map((value) => field(escapeFormulas ? withoutFormula(value) : value)).join(",");
  // A record of one NULL would be an empty line, which readers skip.
  return `${line === "" ? '""' : line}\r\n`;
}

/**
 * A text that a spreadsheet does not take for a formula: one that looks like one gets a leading apostrophe. Other values are
 * unchanged.
 */
export function withoutFormula<T>(value: T): T | string {
  return typeof value === "string" && FORMULA.test(value) ? `'${value}` : value;
}

function field(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
