import { SEARCH_DEFAULTS } from "../../defaults.js";
import { inverseDocumentFrequency, languageCollection } from "./inverse-document-frequency.js";
import type { LanguageLengths } from "./language-lengths.js";
import type { QueryLanguages } from "./query-languages.js";
import { lengthRatio, typicalFrequency } from "./typical-frequency.js";

/** Document frequencies of a term, by language. */
export type DocumentFrequencies = ReadonlyMap<string, number>;

const { k1, b } = SEARCH_DEFAULTS.keyword;
/** Weight of a language that the query is not in, for a word that occurs in no other. */
const LEAST_LIKELY = 1e-9;

/**
 * Statistics for BM25 of the documents of each language. Each is a separate collection: its typical length normalises lengths,
 * its number of documents gives the rarity.
 */
export class LanguageStatistics {
  /** Number of live documents. */
  readonly documentCount: number;
  private readonly longest: number;

  /** @param languages the languages of the live documents */
  constructor(readonly languages: ReadonlyMap<string, LanguageLengths>) {
    this.documentCount = [...languages.values()].reduce((sum, { documents }) => sum + documents, 0);
    this.longest = Math.max(1, ...[...languages.values()].map(({ typical }) => typical));
  }

  /**
   * Inverse document frequency for these document frequencies, above zero, in the languages that a query may be in: a word
   * is as rare as it is there, among documents of the typical length.
   */
  idf(frequencies: DocumentFrequencies, languages: QueryLanguages): number {
    let documents = 0;
    let collection = 0;
    let weights = 0;
    for (const [language, count] of frequencies) {
      const likely = languages.get(language) ?? 0;
      const weight = Math.max(likely, LEAST_LIKELY) * count;
      const lengths = this.languages.get(language);
      documents += likely * typicalFrequency(count, lengths);
      collection +=
        (weight * languageCollection(lengths?.documents ?? 0, this.documentCount)) / lengthRatio(lengths);
      weights += weight;
    }
    return weights === 0 ? 0 : inverseDocumentFrequency(documents, collection / weights);
  }

  /** Inverse document frequency of a term that no document holds. */
  get rarest(): number {
    return inverseDocumentFrequency(0, this.documentCount);
  }

  /** Upper bound of the score of a term of weight 1, from the extremes of its postings. */
  bound(maxFrequency: number, minLength: number): number {
    const norm = 2 * k1 * (1 - b + (b * minLength) / this.longest);
    return ((k1 + 1) * maxFrequency) / (maxFrequency + norm);
  }
}
