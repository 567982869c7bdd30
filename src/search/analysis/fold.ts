import type { Script } from "./scripts.js";

/** Excludes the zero-width joiner and non-joiner, which hold emoji and letters together. */
const IGNORED = /[™®©℠\u00ad\u200b\u2060\ufeff]/g;
const DOT_ABOVE = /\u0307/g;
const LATIN_MARKS = /[\u0300-\u036f]/g;
const ARABIC_POINTS = /[\u0640\u064b-\u065f\u0670\u06d6-\u06ed]/g;
const HEBREW_POINTS = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/g;
/** The zero of each script that has digits of its own; the other digits follow it. */
const ZEROS = [..."٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐᥆᧐᪀᪐᭐᮰᱀᱐꘠꣐꤀꧐꧰꩐꯰"].map((zero) => zero.codePointAt(0)!);
const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu;
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
 * marks and invisible characters dropped, digits of any script as 0 to 9, lower case.
 */
export function normalizeText(text: string): string {
  if (!UNFOLDED.test(text)) return text.toLowerCase();
  return text
    .replace(IGNORED, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(DOT_ABOVE, "")
    .replace(OTHER_DIGITS, plainDigit);
}

function plainDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  const zero = ZEROS.find((each) => code >= each && code < each + 10);
  return zero === undefined ? digit : String(code - zero);
}

/** Removes optional marks from a word: Latin, Greek and Cyrillic accents, Arabic and Hebrew points, and letter variants. */
export function foldAccents(word: string): string {
  if (!UNFOLDED.test(word)) return word;
  return word
    .normalize("NFD")
    .replace(LATIN_MARKS, "")
    .replace(ARABIC_POINTS, "")
    .replace(HEBREW_POINTS, "")
    .normalize("NFC")
    .replace(WHOLE_LETTERS, (letter) => LETTERS[letter]!);
}

/** Letters with a point below that has its own code, and those without it. */
const POINTED: Readonly<Record<string, string>> = { "\u0929": "न", "\u0931": "र", "\u0934": "ळ" };
/** A nasal consonant before a stop of its own place: it is written as a sign above the letter before it, too. */
const NASAL = /ङ\u094d(?=[क-घ])|ञ\u094d(?=[च-झ])|ण\u094d(?=[ट-ढ])|न\u094d(?=[त-ध])|म\u094d(?=[प-भ])/g;
const ANUSVARA = "\u0902";

/**
 * Unifies how a word of a script may be written, before stemming: Arabic points and letters; in Devanagari the point below a letter,
 * which many leave out, the two signs of a nasal vowel, and a nasal consonant before a stop (`हिन्दी` and `हिंदी`).
 */
export function unifySpelling(word: string, script: Script): string {
  if (script === "arabic") return dropArabicPoints(word);
  if (script !== "devanagari") return word;
  return word
    .replace(/\u093c/g, "")
    .replace(/[\u0929\u0931\u0934]/g, (letter) => POINTED[letter]!)
    .replace(/\u0901/g, ANUSVARA)
    .replace(NASAL, ANUSVARA);
}

/**
 * Removes Arabic vowel points and lengthening, and unifies the letters that Persian keyboards vary. Safe before
 * stemming.
 */
function dropArabicPoints(word: string): string {
  return word.replace(ARABIC_POINTS, "").replace(/[یک]/g, (letter) => LETTERS[letter]!);
}
