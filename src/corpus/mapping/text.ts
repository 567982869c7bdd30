const LONE_SURROGATE = /\p{Surrogate}/gu;
const CONTROL = /(?![\t\n])\p{Cc}/gu;
/** Few texts need more than trimming. */
const SUSPECT = /(?![\t\n])\p{Cc}|\p{Surrogate}/u;
const UNICODE_ESCAPE = /\\u([0-9a-fA-F]{4})/g;

/**
 * Text as records hold it: well-formed (a surrogate cut off from its pair becomes U+FFFD, as canonical JSON needs),
 * without control characters but tab and line feed, CR LF as LF, and no white space around it.
 */
export function cleanText(value: string): string {
  if (!SUSPECT.test(value)) return value.trim();
  return value.replace(/\r\n?/g, "\n").replace(CONTROL, "").replace(LONE_SURROGATE, "\ufffd").trim();
}

/** Undoes `\uXXXX` escapes that a source left in its text: `Let\u2019s`, spelt out, becomes `Let’s`; pairs too. */
export function unescapeUnicode(value: string): string {
  return value.replace(UNICODE_ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
