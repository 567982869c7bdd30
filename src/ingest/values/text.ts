import { decodeHTML } from "entities";

const CONTROL = /[^\P{Cc}\t\n]/gu;
/** Most texts need only trimming; this test is stateless and fast. */
const HAS_CONTROL = /[^\P{Cc}\t\n]/u;
const C1 = /[\u0080-\u009f]/g;
/**
 * What U+0080 to U+009F stand for: text of Windows that was read as Latin 1 has its quotes, dashes and the euro there (WHATWG
 * Encoding, index windows-1252). Five of them have no meaning, and stay controls.
 */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";
const UNICODE_ESCAPE = /\\u([0-9a-fA-F]{4})/g;

/**
 * Cleans text for records: well-formed (an unpaired surrogate becomes U+FFFD, as canonical JSON requires), no control characters
 * but tab and line feed, CR LF as LF, trimmed. C1 controls become what Windows-1252 has in their place, as in browsers.
 */
export function cleanText(value: string): string {
  const text = value.toWellFormed();
  if (!HAS_CONTROL.test(text)) return text.trim();
  return text
    .replace(/\r\n?/g, "\n")
    .replace(C1, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80]!)
    .replace(CONTROL, "")
    .trim();
}

/** Decodes Unicode escapes left in a source's text: the six characters `\u00e9` become `é`; surrogate pairs too. */
export function unescapeUnicode(value: string): string {
  return value.replace(UNICODE_ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

const BREAK = /<(?:br|hr)\b[^<>]*>|<\/(?:p|div|li|tr|h[1-6]|blockquote|pre)\s*>/gi;
/** A start of a comment, or a tag, which starts with a letter: `a < b` and `<3` are text. */
const MARK = /<!--|<\/?[a-z][^<>]*>/gi;

/**
 * Decodes HTML left in a source's text. `entities` decodes character references (`&amp;`, `&#39;`); `text` also removes tags, and
 * makes line feeds of breaks and ends of paragraphs. The result is text, not safe HTML. The time is proportional to the length.
 */
export function decodeHtml(value: string, how: "entities" | "text"): string {
  if (how === "text" && value.includes("<")) value = withoutTags(value.replace(BREAK, "\n"));
  return value.includes("&") ? decodeHTML(value) : value;
}

/** Removes tags and comments; a comment that never ends is text. */
function withoutTags(html: string): string {
  const lastEnd = html.lastIndexOf("-->");
  let text = "";
  let from = 0;
  for (const { 0: mark, index } of html.matchAll(MARK)) {
    if (index < from) continue;
    let end = index + mark.length;
    if (mark === "<!--") {
      if (end > lastEnd) continue;
      end = html.indexOf("-->", end) + 3;
    }
    text += html.slice(from, index);
    from = end;
  }
  return text + html.slice(from);
}
