const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;
const ZERO = /^[\p{M}\p{Cf}]+$/u;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Width of a text in a fixed-width font, in columns: two for East Asian characters and emoji. */
export function textColumns(text: string): number {
  let columns = 0;
  for (const { segment } of graphemes.segment(text))
    columns += ZERO.test(segment) ? 0 : WIDE.test(segment) ? 2 : 1;
  return columns;
}

/** Approximate width of a text in a proportional sans serif, in pixels, for chart margins. */
export function textPixels(text: string, fontSize: number): number {
  return textColumns(text) * fontSize * 0.62;
}

/** The text, cut to `columns` with an ellipsis; graphemes stay whole. */
export function fitColumns(text: string, columns: number): string {
  if (textColumns(text) <= columns) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += textColumns(segment);
    if (used > columns - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
