import { guessLatin } from "./latin-model.js";

/** Least share of all languages together that a language needs: relatives, such as Croatian and Serbian, share it. */
const LEAST_SHARE = 0.35;

/** Detects the language of text in Latin script; `und` if undecided. See `detectLanguage`. */
export function detectLatin(text: string): string {
  const { language, share } = guessLatin(text);
  return share < LEAST_SHARE ? "und" : language;
}
