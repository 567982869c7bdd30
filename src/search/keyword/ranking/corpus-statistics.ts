import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { CandidateRows } from "../../document.js";
import type { KeywordSegment } from "../keyword-segment.js";
import type { PlacedSegment } from "../placed-segment.js";
import type { PostingCursor } from "../postings/posting-cursor.js";
import type { TermEntry } from "../terms/term-dictionary.js";
import { languageLengths } from "./language-lengths.js";
import { type DocumentFrequencies, LanguageStatistics } from "./language-statistics.js";

const { k1, b } = SEARCH_DEFAULTS.keyword;

/** Statistics for BM25 over all segments, independent of how documents are divided into segments. */
export class CorpusStatistics extends LanguageStatistics {
  /**
   * k1 · (1 − b + b · length / typical length) of each row, added to the frequency in the denominator; in half
   * words.
   */
  readonly norms: Float32Array;
  private readonly live: CandidateRows | undefined;

  /** Creates the statistics of the `live` rows; default: all rows. */
  constructor(
    private readonly segments: readonly PlacedSegment[],
    live?: CandidateRows,
  ) {
    const rows = segments.reduce((sum, { keyword }) => sum + keyword.manifest.documentCount, 0);
    const some = live === undefined || live.count === rows ? undefined : live;
    super(languageLengths(segments, some));
    this.live = some;
    this.norms = new Float32Array(rows);
    for (const { first, keyword } of segments) {
      const byNumber = keyword.manifest.languages.map(
        ({ language }) => this.languages.get(language)?.typical || 1,
      );
      const { lengths, languages } = keyword;
      for (let row = 0; row < lengths.length; row += 1)
        this.norms[first + row] = 2 * k1 * (1 - b + (b * lengths[row]!) / byNumber[languages[row]!]!);
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
