import { z } from "zod";
import { checkArgument } from "../contract/check-options.js";
import type { Json } from "../contract/json.js";

const NAME = "quoted-data";
/** What begins and ends the mark; never within it, because {@link quotedLine} escapes their first character. */
export const QUOTED_DATA = { begin: `<${NAME}>`, end: `</${NAME}>` } as const;

/**
 * Characters that JSON leaves as they are and that could fool a reader: line separators, controls, characters that turn or hide text,
 * and the invisible letters of the tag block.
 */
const DECEPTIVE = /[\u007f-\u009f\u2028\u2029]|\p{Cf}|\p{Default_Ignorable_Code_Point}/gu;
/**
 * The first character of a mark of this file, or of one that a model's own format uses for roles and tool results: a tag, `[INST]`, a
 * heading such as `### Instruction:`.
 */
const FORGED =
  /<(?=<?[/|\s]*(?:quoted|tool|function|system|sys\b|assistant|user|human|result|antml|im_|(?:start|end|begin)_?of|\|))|\[(?=\/?INST\])|#(?=#{1,5}\s*(?:system|user|human|assistant|instruction|input|response)\b)/gi;

/**
 * Writes a value as one line of JSON for the inside of the mark. The text cannot end the line, its string or the mark: JSON escapes quotes
 * and line ends, and what could be taken for a mark or cannot be seen is escaped too. `JSON.parse` gives back the same value.
 */
export function quotedLine(value: Json): string {
  return JSON.stringify(value).replace(DECEPTIVE, escapeUnits).replace(FORGED, escapeUnits);
}

/** Puts lines of {@link quotedLine} inside the mark. */
export function quoted(lines: readonly string[]): string {
  return [QUOTED_DATA.begin, ...lines, QUOTED_DATA.end].join("\n");
}

/** The values inside the marks of an answer's text, in order. @throws SyntaxError if the text is not of this library; UsageError `invalid_argument` */
export function readQuoted(text: string): unknown[] {
  checkArgument(z.string(), text, "text", "readQuoted");
  const values: unknown[] = [];
  let inside = false;
  for (const line of text.split("\n")) {
    if (line === QUOTED_DATA.begin) inside = true;
    else if (line === QUOTED_DATA.end) inside = false;
    else if (inside) values.push(JSON.parse(line));
  }
  return values;
}

/** Escapes code units. A joiner within an emoji or a word of Persian or Indic languages is escaped too: `JSON.parse` brings it back. */
function escapeUnits(found: string): string {
  let escaped = "";
  for (let i = 0; i < found.length; i++) escaped += `\\u${found.charCodeAt(i).toString(16).padStart(4, "0")}`;
  return escaped;
}
