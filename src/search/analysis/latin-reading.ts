/**
 * How a query in Latin letters is read: as words; as the syllables that Vietnamese writes, which pairs make words of; or as either,
 * each word matching with the syllable too.
 */
export type LatinReading = "words" | "syllables" | "either";

/** Letters of Vietnamese that English has not. */
const VIETNAMESE = /[ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/iu;
/** Those of them that none of {@link SHARING} has. */
const VIETNAMESE_ALONE = /[ơưđảấầẩẫậắằẳẵặẻẽếềểễệỉỏốồổỗộớờởỡợủứừửữựỵỷỹ]/iu;
/** Languages that write dots below letters as Vietnamese does: Yoruba, Igbo. */
const SHARING = ["yo", "ig"];
/** What these write and Vietnamese does not: a tone above a letter with a dot, and other letters. */
const NOT_VIETNAMESE = /[ẹọịụ]\p{M}|[ṣṅ]/iu;

/**
 * Reads a query for an index whose documents are in these languages (primary subtags). Only documents in Vietnamese have syllables, so
 * without them a query has none either.
 */
export function latinReadingOf(query: string, languages: readonly string[]): LatinReading {
  const text = query.normalize("NFC");
  if (!languages.includes("vi") || !VIETNAMESE.test(text)) return "words";
  if (VIETNAMESE_ALONE.test(text) || !SHARING.some((language) => languages.includes(language)))
    return "syllables";
  return NOT_VIETNAMESE.test(text) ? "words" : "either";
}
