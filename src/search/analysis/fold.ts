/** Excludes the zero-width joiner and non-joiner, which hold emoji and letters together. */
const IGNORED = /[™®©℠\u00ad\u200b\u2060\ufeff]/g;
const DOT_ABOVE = /\u0307/g;
const LATIN_MARKS = /[\u0300-\u036f]/g;
const ARABIC_POINTS = /[\u0640\u064b-\u065f\u0670\u06d6-\u06ed]/g;
const UNFOLDED = /\P{ASCII}/u;

/** Letters without a decomposition. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
  ħ: "h",
  ς: "σ",
  آ: "ا",
  أ: "ا",
  إ: "ا",
  ٱ: "ا",
  ى: "ي",
  ی: "ي",
  ک: "ك",
  ة: "ه",
};
const WHOLE_LETTERS = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");

/**
 * Normalises a text for indexing: compatibility forms unified (NFKC, which folds width and ligatures), trade
 * marks and invisible characters dropped, lower case.
 */
export function normalizeText(text: string): string {
  if (!UNFOLDED.test(text)) return text.toLowerCase();
  return text.replace(IGNORED, "").normalize("NFKC").toLowerCase().replace(DOT_ABOVE, "");
}

/** Removes optional marks from a word: Latin, Greek and Cyrillic accents, Arabic points and letter variants. */
export function foldAccents(word: string): string {
  if (!UNFOLDED.test(word)) return word;
  return word
    .normalize("NFD")
    .replace(LATIN_MARKS, "")
    .replace(ARABIC_POINTS, "")
    .normalize("NFC")
    .replace(WHOLE_LETTERS, (letter) => LETTERS[letter]!);
}

/**
 * Removes Arabic vowel points and lengthening, and unifies the letters that Persian keyboards vary. Safe before
 * stemming.
 */
export function dropArabicPoints(word: string): string {
  return word.replace(ARABIC_POINTS, "").replace(/[یک]/g, (letter) => LETTERS[letter]!);
}
