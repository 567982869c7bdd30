const CONTROL = /[^\P{Cc}\t\n]/gu;
/** Most texts need only trimming; this test is stateless and fast. */
const HAS_CONTROL = /[^\P{Cc}\t\n]/u;
const UNICODE_ESCAPE = /\\u([0-9a-fA-F]{4})/g;

/**
 * Cleans text for records: well-formed (an unpaired surrogate becomes U+FFFD, as canonical JSON requires), no control characters
 * but tab and line feed, CR LF as LF, trimmed.
 */
export function cleanText(value: string): string {
  const text = value.toWellFormed();
  if (!HAS_CONTROL.test(text)) return text.trim();
  return text.replace(/\r\n?/g, "\n").replace(CONTROL, "").trim();
}

/** Decodes Unicode escapes left in a source's text: the six characters `\u00e9` become `é`; surrogate pairs too. */
export function unescapeUnicode(value: string): string {
  return value.replace(UNICODE_ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
