const CONTROL = /[^\P{Cc}\t\n]/gu;
/** Few texts need more than trimming. A test without state, and without a look-ahead at every character. */
const HAS_CONTROL = /[^\P{Cc}\t\n]/u;
const UNICODE_ESCAPE = /\\u([0-9a-fA-F]{4})/g;

/**
 * Text as records hold it: well-formed (a surrogate cut off from its pair becomes U+FFFD, as canonical JSON needs),
 * without control characters but tab and line feed, CR LF as LF, and no white space around it.
 */
export function cleanText(value: string): string {
  const text = value.toWellFormed();
  if (!HAS_CONTROL.test(text)) return text.trim();
  return text.replace(/\r\n?/g, "\n").replace(CONTROL, "").trim();
}

/** Undoes Unicode escapes that a source left in its text: the six characters `\u00e9` become `é`; pairs too. */
export function unescapeUnicode(value: string): string {
  return value.replace(UNICODE_ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
