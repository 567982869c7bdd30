import { detectLatin } from "./detect-latin.js";

/** Scripts by their letters. Han and Kana are weighed together below; a character of these says more than a letter. */
const SCRIPTS: readonly (readonly [script: string, letters: RegExp, weight: number])[] = [
  ["Latin", /\p{Script=Latin}/gu, 1],
  ["Han", /\p{Script=Han}/gu, 3],
  ["Kana", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 3],
  ["Hangul", /\p{Script=Hangul}/gu, 2],
  ["Cyrillic", /\p{Script=Cyrillic}/gu, 1],
  ["Arabic", /\p{Script=Arabic}/gu, 1],
  ["Devanagari", /\p{Script=Devanagari}/gu, 1],
  ["el", /\p{Script=Greek}/gu, 1],
  ["th", /\p{Script=Thai}/gu, 1],
  ["he", /\p{Script=Hebrew}/gu, 1],
  ["bn", /\p{Script=Bengali}/gu, 1],
  ["ta", /\p{Script=Tamil}/gu, 1],
  ["te", /\p{Script=Telugu}/gu, 1],
  ["gu", /\p{Script=Gujarati}/gu, 1],
  ["pa", /\p{Script=Gurmukhi}/gu, 1],
  ["kn", /\p{Script=Kannada}/gu, 1],
  ["ml", /\p{Script=Malayalam}/gu, 1],
  ["si", /\p{Script=Sinhala}/gu, 1],
  ["lo", /\p{Script=Lao}/gu, 1],
  ["km", /\p{Script=Khmer}/gu, 1],
  ["my", /\p{Script=Myanmar}/gu, 1],
  ["ka", /\p{Script=Georgian}/gu, 1],
  ["hy", /\p{Script=Armenian}/gu, 1],
  ["am", /\p{Script=Ethiopic}/gu, 1],
];

/** Addresses, handles, hashtags, and markup in brackets say nothing of the language around them. */
const NOISE = /https?:\/\/\S+|www\.\S+|\S+@\S+\.\S+|[@#][\p{L}\p{N}_.]+|\[[A-Z_]+\]/gu;

function matches(text: string, letters: RegExp): number {
  return text.match(letters)?.length ?? 0;
}

/** Letters that only one language of the script has, in the order in which they are asked for. */
const BY_LETTER: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  Cyrillic: [
    [/[іїєґ]/gi, "uk"],
    [/ў/gi, "be"],
    [/[љњћђ]/gi, "sr"],
    [/[ѓќѕ]/gi, "mk"],
    [/[әғқңұһ]/gi, "kk"],
  ],
  Arabic: [
    [/[ٹڈڑںےہ]/g, "ur"],
    [/[پچژگیک]/g, "fa"],
  ],
  Devanagari: [[/(?:आहे|आणि|आहेत|ळ)/g, "mr"]],
};

const SCRIPT_DEFAULT: Readonly<Record<string, string>> = { Cyrillic: "ru", Arabic: "ar", Devanagari: "hi" };

function byLetter(script: string, text: string, letters: number): string {
  for (const [regex, language] of BY_LETTER[script] ?? []) {
    if (matches(text, regex) >= Math.max(1, letters * 0.02)) return language;
  }
  // Bulgarian writes ъ as a vowel and has neither ы nor э.
  if (script === "Cyrillic" && matches(text, /ъ/gi) > letters * 0.004 && !/[ыэ]/i.test(text)) return "bg";
  return SCRIPT_DEFAULT[script] ?? script;
}

/**
 * The language of a text, as a BCP 47 tag: by script where the script tells, by distinctive letters in Cyrillic, Arabic and
 * Devanagari, by function words, letters and affixes in Latin script. Deterministic; needs no model.
 * @returns `und` where the text has no letters or too few clues.
 */
export function detectLanguage(text: string): string {
  const plain = text.replace(NOISE, " ").normalize("NFC");
  let best = "";
  let most = 0;
  const counts: Record<string, number> = {};
  for (const [script, letters, weight] of SCRIPTS) {
    const count = matches(plain, letters);
    if (count === 0) continue;
    counts[script] = count;
    if (count * weight > most) {
      best = script;
      most = count * weight;
    }
  }
  if (most === 0) return "und";
  const kana = counts.Kana ?? 0;
  const han = counts.Han ?? 0;
  if ((han + kana) * 3 >= most && han + kana > 0) return kana >= 0.08 * (han + kana) ? "ja" : "zh";
  if (best === "Latin") return detectLatin(plain);
  return byLetter(best, plain, counts[best]!);
}
