import { graphemesOf } from "../contract/graphemes.js";

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;
const ZERO = /^[\p{M}\p{Cf}]+$/u;

/** Width of a text in a fixed-width font, in columns: two for East Asian characters and emoji. */
export function textColumns(text: string): number {
  let columns = 0;
  for (const grapheme of graphemesOf(text)) columns += columnsOf(grapheme);
  return columns;
}

/** Approximate width of a text in a proportional sans serif, in pixels, for chart margins. */
export function textPixels(text: string, fontSize: number): number {
  return textColumns(text) * fontSize * 0.62;
}

/** The text, cut to `columns` with an ellipsis; graphemes stay whole. Reads no more of it than fits. */
export function fitColumns(text: string, columns: number): string {
  let used = 0;
  let at = 0;
  let cut = 0;
  for (const grapheme of graphemesOf(text)) {
    used += columnsOf(grapheme);
    if (used > columns) return `${text.slice(0, cut).trimEnd()}…`;
    at += grapheme.length;
    if (used < columns) cut = at;
  }
  return text;
}

function columnsOf(grapheme: string): number {
  if (grapheme.length === 1 && grapheme >= " " && grapheme <= "~") return 1;
  if (ZERO.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}
