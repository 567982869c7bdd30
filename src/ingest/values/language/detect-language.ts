import { languageInScript } from "./script-languages.js";

/** Weight of one character: these scripts carry more information per character. Default: 1. */
const WEIGHTS: Readonly<Record<string, number>> = { Han: 3, Kana: 3, ko: 2 };

/** Scripts. A script used by one language only is listed as that language. */
const SCRIPTS: readonly (readonly [script: string, letters: RegExp])[] = [
  ["Latin", /\p{Script=Latin}/u],
  ["Han", /\p{Script=Han}/u],
  ["Kana", /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ["ko", /\p{Script=Hangul}/u],
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Arabic", /\p{Script=Arabic}/u],
  ["Devanagari", /\p{Script=Devanagari}/u],
  ["el", /\p{Script=Greek}/u],
  ["th", /\p{Script=Thai}/u],
  ["he", /\p{Script=Hebrew}/u],
  ["bn", /\p{Script=Bengali}/u],
  ["ta", /\p{Script=Tamil}/u],
  ["te", /\p{Script=Telugu}/u],
  ["gu", /\p{Script=Gujarati}/u],
  ["pa", /\p{Script=Gurmukhi}/u],
  ["kn", /\p{Script=Kannada}/u],
  ["ml", /\p{Script=Malayalam}/u],
  ["si", /\p{Script=Sinhala}/u],
  ["lo", /\p{Script=Lao}/u],
  ["km", /\p{Script=Khmer}/u],
  ["my", /\p{Script=Myanmar}/u],
  ["ka", /\p{Script=Georgian}/u],
  ["hy", /\p{Script=Armenian}/u],
  ["am", /\p{Script=Ethiopic}/u],
];

const NO_SCRIPT = SCRIPTS.length;

const TABLE_END = 0x3400;
const NOT_LOOKED_UP = 255;
/** Script of the characters below U+3400, as an index into SCRIPTS; each is looked up when a text has it first. */
const TABLE = new Uint8Array(TABLE_END).fill(NOT_LOOKED_UP);

function lookUp(code: number): number {
  const character = String.fromCodePoint(code);
  const found = SCRIPTS.findIndex(([, letters]) => letters.test(character));
  return found < 0 ? NO_SCRIPT : found;
}

function scriptOf(code: number): number {
  if (code < TABLE_END) {
    const known = TABLE[code]!;
    if (known !== NOT_LOOKED_UP) return known;
    TABLE[code] = lookUp(code);
    return TABLE[code];
  }
  if (code <= 0x9fff) return 1;
  if (code >= 0xac00 && code <= 0xd7a3) return 3;
  return lookUp(code);
}

/** Counts letters by script. */
function countScripts(text: string): Record<string, number> {
  const counts = new Uint32Array(SCRIPTS.length + 1);
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i)!;
    if (code > 0xffff) i++;
    counts[scriptOf(code)]!++;
  }
  const named: Record<string, number> = {};
  for (const [i, [script]] of SCRIPTS.entries()) if (counts[i]! > 0) named[script] = counts[i]!;
  return named;
}

/** The script of most letters, each by its weight, and their weight; one script can be left out. */
function mostOf(counts: Readonly<Record<string, number>>, except?: string): [script: string, weight: number] {
  let best = "";
  let most = 0;
  for (const [script, count] of Object.entries(counts)) {
    const weight = count * (WEIGHTS[script] ?? 1);
    if (script === except || weight <= most) continue;
    best = script;
    most = weight;
  }
  return [best, most];
}

/** Share of the Latin letters that another script needs to tell the language where they are names. */
const LEAST_BESIDE_NAMES = 0.2;

/** URLs, handles, hashtags, and markup in brackets, which are independent of the text's language. */
const NOISE =
  /https?:\/\/\S+|www\.\S+|[\w.+-]{1,64}@[\w-]+\.[\w.]+|@[\p{L}\p{N}_.-]+|#[\p{L}\p{N}_.]+|\[[A-Z_]+\]/gu;

/** What every match of {@link NOISE} has: most texts have none, and are not searched at each letter. */
const HAS_NOISE = /[@#[]|https?:\/\/|www\./;

/**
 * Detects the language of a text as a BCP 47 tag: by script where the script decides, by words and runs of letters where languages
 * share one. Deterministic.
 * @returns `und` for a text without letters or with too few clues
 */
export function detectLanguage(text: string): string {
  const plain = (HAS_NOISE.test(text) ? text.replace(NOISE, " ") : text).normalize("NFC");
  const counts = countScripts(plain);
  const [best, most] = mostOf(counts);
  if (most === 0) return "und";
  const kana = counts.Kana ?? 0;
  const han = counts.Han ?? 0;
  if ((han + kana) * 3 >= most && han + kana > 0) return kana >= 0.08 * (han + kana) ? "ja" : "zh";
  const language = languageInScript(best, plain, counts[best]!);
  if (best !== "Latin" || language !== "und") return language;
  // Names in Latin letters are often longer than the question about them.
  const [other, letters] = mostOf(counts, "Latin");
  return letters > counts.Latin! * LEAST_BESIDE_NAMES ? languageInScript(other, plain, letters) : "und";
}
