import { lettersBeyondAscii, writesLetter } from "./alphabets.js";

/**
 * How a query in Latin letters is read: as words; as the syllables that Vietnamese writes, which pairs make words of; or as either,
 * each word matching with the syllable too.
 */
export type LatinReading = "words" | "syllables" | "either";

/**
 * Reads a query for an index whose documents are in these languages (primary subtags). Only documents in Vietnamese have syllables, so
 * without them a query has none either. A letter that no other of these languages writes tells Vietnamese.
 */
export function latinReadingOf(query: string, languages: readonly string[]): LatinReading {
  if (!languages.includes("vi")) return "words";
  const letters = lettersBeyondAscii(query);
  if (letters.length === 0) return "words";
  const others = languages.filter((language) => language !== "vi");
  const isAlone = (letter: string) =>
    isVietnamese(letter) && !others.some((other) => writesLetter(other, letter) === true);
  if (letters.some(isAlone)) return "syllables";
  return letters.every(isVietnamese) ? "either" : "words";
}

function isVietnamese(letter: string): boolean {
  return writesLetter("vi", letter) === true;
}
