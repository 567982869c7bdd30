import type { RawItem } from "../contract/slice/slice-item.js";

/** Small i and the dot that İ keeps: one code point in upper case has no counterpart in lower case. */
const DOTTED_I = "i\u0307";

/** Capitals of Unicode 16 and 17, which DuckDB does not know: they stay as they are, whatever this process knows. */
const LATE_CAPITALS =
  /[\u1C89\uA7CB\uA7CC\uA7CE\uA7D2\uA7D4\uA7DA\uA7DC\u{10D50}-\u{10D65}\u{16EA0}-\u{16EB8}]/u;

/** Stands for U+0000, at which DuckDB's normal forms end. */
const NO_CHARACTER = "\uFFFD";

/**
 * A text as texts are compared that contain one another: code point by code point in lower case (Unicode), ς as σ, in normal form C.
 * So canonically equal texts, and such as differ in case alone, are one.
 */
export function foldText(text: string): string {
  let lower = "";
  // One by one: whether Σ ends a word must not matter, since a part of the word may be asked for.
  for (const character of text) {
    const small = character.toLowerCase();
    lower += small !== character && LATE_CAPITALS.test(character) ? character : small;
  }
  return lower.replaceAll("ς", "σ").replaceAll("\0", NO_CHARACTER).normalize("NFC");
}

/** SQL of {@link foldText}, over an expression of DuckDB. */
export function foldedSql(text: string): string {
  const lower = `lower(replace(${text}, 'İ', '${DOTTED_I}'))`;
  return `nfc_normalize(replace(replace(${lower}, 'ς', 'σ'), chr(0), '${NO_CHARACTER}'))`;
}

const WORDS = "concat_ws(chr(10), data->>'$.text', data->>'$.title', data->>'$.name')";

/** SQL of the text in which a raw item's words are looked for, over its column `data`. */
export const RAW_WORDS = foldedSql(WORDS);

/** The same as lakes have it that were built before words were folded: lower case alone. */
export const RAW_WORDS_BEFORE = `lower(${WORDS})`;

/** Whether an item's text, title or name contains a text, as {@link foldText} has both; any item where there is none. */
export function wordsMatch({ data }: RawItem, text: string | undefined): boolean {
  if (text === undefined) return true;
  if (!text.isWellFormed()) return false;
  const words = [data.text, data.title, data.name].filter((value) => value !== undefined && value !== null);
  const joined = words.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n");
  return foldText(joined).includes(foldText(text));
}
