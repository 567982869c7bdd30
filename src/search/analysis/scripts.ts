/** Determines how a run of letters is split into terms. */
export type Script =
  | "latin"
  | "cyrillic"
  | "greek"
  | "arabic"
  | "devanagari"
  /** Han, Hiragana, Katakana, Bopomofo: no spaces; single characters and pairs. */
  | "han"
  /** Hangul: spaced, but with particles glued on; pairs of syllables. */
  | "hangul"
  | "thai"
  /** Lao, Khmer, Myanmar, Tibetan: no spaces; pairs of clusters of a letter and its marks. */
  | "cluster"
  /** Any other script, and digits: spaced words. */
  | "other";

/** Code point ranges, ascending: [first, last, script]. The gaps are "other". Source: Unicode Blocks.txt. */
const RANGES: readonly (readonly [number, number, Script])[] = [
  [0x41, 0x5a, "latin"],
  [0x61, 0x7a, "latin"],
  [0xaa, 0xaa, "latin"],
  [0xba, 0xba, "latin"],
  [0xc0, 0x24f, "latin"],
  [0x250, 0x2af, "latin"],
  [0x370, 0x3ff, "greek"],
  [0x400, 0x52f, "cyrillic"],
  [0x600, 0x6ff, "arabic"],
  [0x750, 0x77f, "arabic"],
  [0x870, 0x8ff, "arabic"],
  [0x900, 0x97f, "devanagari"],
  [0xe00, 0xe7f, "thai"],
  [0xe80, 0xfff, "cluster"],
  [0x1000, 0x109f, "cluster"],
  [0x1100, 0x11ff, "hangul"],
  [0x1780, 0x17ff, "cluster"],
  [0x1e00, 0x1eff, "latin"],
  [0x1f00, 0x1fff, "greek"],
  [0x2c60, 0x2c7f, "latin"],
  [0x2de0, 0x2dff, "cyrillic"],
  [0x2e80, 0x303f, "han"],
  [0x3040, 0x312f, "han"],
  [0x3130, 0x318f, "hangul"],
  [0x3190, 0x9fff, "han"],
  [0xa640, 0xa69f, "cyrillic"],
  [0xa720, 0xa7ff, "latin"],
  [0xa8e0, 0xa8ff, "devanagari"],
  [0xa960, 0xa97f, "hangul"],
  [0xaa60, 0xaa7f, "cluster"],
  [0xac00, 0xd7ff, "hangul"],
  [0xf900, 0xfaff, "han"],
  [0xfb50, 0xfdff, "arabic"],
  [0xfe70, 0xfeff, "arabic"],
  [0x1aff0, 0x1b16f, "han"],
  [0x20000, 0x3ffff, "han"],
];

/** Script of a code point, by its Unicode block. */
export function scriptOf(codePoint: number): Script {
  let low = 0;
  let high = RANGES.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last, script] = RANGES[middle]!;
    if (codePoint < first) high = middle - 1;
    else if (codePoint > last) low = middle + 1;
    else return script;
  }
  return "other";
}
