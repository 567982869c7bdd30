import { SEARCH_DEFAULTS } from "../defaults.js";
import type { CandidateRows } from "../document.js";
import { inverseDocumentFrequency, languageCollection } from "./inverse-document-frequency.js";
import type { KeywordSegment } from "./keyword-segment.js";
import { type LanguageLengths, languageLengths } from "./language-lengths.js";
import type { PlacedSegment } from "./placed-segment.js";
import type { PostingCursor } from "./posting-cursor.js";
import type { QueryLanguages } from "./query-languages.js";
import type { TermEntry } from "./term-dictionary.js";

/** Document frequencies of a term, by language. */
export type DocumentFrequencies = ReadonlyMap<string, number>;

const { k1, b } = SEARCH_DEFAULTS.keyword;
/** Weight of a language that the query is not in, for a word that occurs in no other. */
const LEAST_LIKELY = 1e-9;

/**
 * Statistics for BM25 over all segments, independent of how documents are divided into segments. Each language
 * is a separate collection: its typical length normalises lengths, its number of documents gives the rarity.
 */
export class CorpusStatistics {
  /** Number of live documents. */
  readonly documentCount: number;
  /**
   * k1 · (1 − b + b · length / typical length) of each row, added to the frequency in the denominator; in half
   * words.
   */
  readonly norms: Float32Array;
  /** The languages of the live documents. */
  readonly languages: ReadonlyMap<string, LanguageLengths>;
  private readonly longest: number;

  /** Creates the statistics of the `live` rows; default: all rows. */
  constructor(
    private readonly segments: readonly PlacedSegment[],
    private readonly live?: CandidateRows,
  ) {
    const rows = segments.reduce((sum, { keyword }) => sum + keyword.manifest.documentCount, 0);
    this.live = live === undefined || live.count === rows ? undefined : live;
    this.languages = languageLengths(segments, this.live);
    this.documentCount = [...this.languages.values()].reduce((sum, { documents }) => sum + documents, 0);
    this.longest = Math.max(1, ...[...this.languages.values()].map(({ typical }) => typical));
    this.norms = new Float32Array(rows);
    for (const { first, keyword } of segments) {
      const byNumber = keyword.manifest.languages.map(
        ({ language }) => this.languages.get(language)?.typical || 1,
      );
      keyword.lengths.forEach((length, row) => {
        this.norms[first + row] = 2 * k1 * (1 - b + (b * length) / byNumber[keyword.languages[row]!]!);
      });
    }
  }

  /** Document frequencies, by language, of a term with these entries, one for each segment that may hold it. */
  frequencies(entries: readonly (TermEntry | undefined)[]): DocumentFrequencies {
    const total = new Map<string, number>();
    for (let s = 0; s < entries.length; s++) {
      const entry = entries[s];
      if (entry === undefined) continue;
      const { first, keyword } = this.segments[s]!;
      const counts =
        this.live === undefined
          ? entry.languages
          : countLive(keyword.cursor(entry), first, keyword, this.live);
      for (const [number, documents] of counts) {
        const { language } = keyword.manifest.languages[number]!;
        total.set(language, (total.get(language) ?? 0) + documents);
      }
    }
    return total;
  }

  /**
   * Inverse document frequency for these document frequencies, above zero, in the languages that a query may be in: a word
   * is as rare as it is there.
   */
  idf(frequencies: DocumentFrequencies, languages: QueryLanguages): number {
    let documents = 0;
    let collection = 0;
    let weights = 0;
    for (const [language, count] of frequencies) {
      const likely = languages.get(language) ?? 0;
      const weight = Math.max(likely, LEAST_LIKELY) * count;
      documents += likely * count;
      collection +=
        weight * languageCollection(this.languages.get(language)?.documents ?? 0, this.documentCount);
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

function countLive(
  cursor: PostingCursor,
  first: number,
  keyword: KeywordSegment,
  live: CandidateRows,
): Map<number, number> {
  const counts = new Map<number, number>();
  while (cursor.next()) {
    if (!live.has(first + cursor.row)) continue;
    const language = keyword.languages[cursor.row]!;
    counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return counts;
}
