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

/** Elements whose content is no text of the page; that of `noscript` is, for readers without scripts. */
const HIDDEN = /^<(script|style|template)(?=[\s/>])/i;
const HIDDEN_END = /<\/(script|style|template)(?:[\s/][^<>]*)?>/gi;

/**
 * Decodes HTML left in a source's text. `entities` decodes character references (`&amp;`, `&#39;`); `text` also removes tags,
 * comments, scripts, styles and templates, and makes line feeds of breaks and ends of paragraphs. The result is text, not safe HTML. The time is proportional to the length.
 */
export function decodeHtml(value: string, how: "entities" | "text"): string {
  if (how === "text" && value.includes("<")) value = withoutTags(value.replace(BREAK, "\n"));
  return value.includes("&") ? decodeHTML(value) : value;
}

/** Removes tags, comments and hidden elements; of a comment or an element that never ends the content is text. */
function withoutTags(html: string): string {
  const lastEnd = html.lastIndexOf("-->");
  const endOfHidden = hiddenEnds(html);
  let text = "";
  let from = 0;
  for (const { 0: mark, index } of html.matchAll(MARK)) {
    if (index < from) continue;
    let end = index + mark.length;
    if (mark === "<!--") {
      if (end > lastEnd) continue;
      end = html.indexOf("-->", end) + 3;
    } else {
      const name = HIDDEN.exec(mark)?.[1];
      if (name !== undefined) end = endOfHidden(name.toLowerCase(), end) ?? end;
    }
    text += html.slice(from, index);
    from = end;
  }
  return text + html.slice(from);
}

/** Finds where a hidden element ends whose content starts at a position, if it does; positions are asked in ascending order. */
function hiddenEnds(html: string): (name: string, from: number) => number | undefined {
  const ends = new Map<string, number[]>();
  let found = false;
  const find = () => {
    found = true;
    for (const { 0: mark, 1: name, index } of html.matchAll(HIDDEN_END)) {
      const of = ends.get(name!.toLowerCase());
      if (of === undefined) ends.set(name!.toLowerCase(), [index + mark.length]);
      else of.push(index + mark.length);
    }
    for (const of of ends.values()) of.reverse();
  };
  return (name, from) => {
    if (!found) find();
    const left = ends.get(name) ?? [];
    while (left.length > 0 && left.at(-1)! <= from) left.pop();
    return left.at(-1);
  };
}
