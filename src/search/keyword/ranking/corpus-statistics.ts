import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { CandidateRows } from "../../document.js";
import type { KeywordSegment } from "../keyword-segment.js";
import type { PlacedSegment } from "../placed-segment.js";
import type { PostingCursor } from "../postings/posting-cursor.js";
import type { TermEntry } from "../terms/term-dictionary.js";
import { type LanguageLengths, languageLengths } from "./language-lengths.js";
import { type DocumentFrequencies, LanguageStatistics } from "./language-statistics.js";
import { type RowStep, rowSteps } from "./row-steps.js";

const { k1, b } = SEARCH_DEFAULTS.keyword;

/** Statistics for BM25 over all segments, independent of how documents are divided into segments. */
export class CorpusStatistics extends LanguageStatistics {
  /**
   * k1 · (1 − b + b · length / typical length) of each row, added to the frequency in the denominator; in half
   * words.
   */
  readonly norms: Float32Array;
  private constructor(
    private readonly segments: readonly PlacedSegment[],
    private readonly live: CandidateRows | undefined,
    languages: ReadonlyMap<string, LanguageLengths>,
    norms: Float32Array,
  ) {
    super(languages);
    this.norms = norms;
  }

  /** Measures the `live` rows, in steps between which the event loop may turn; default: all rows. */
  static *measuring(
    segments: readonly PlacedSegment[],
    live?: CandidateRows,
  ): Generator<void, CorpusStatistics> {
    const rows = segments.reduce((sum, { keyword }) => sum + keyword.manifest.documentCount, 0);
    const some = live === undefined || live.count === rows ? undefined : live;
    const measured = yield* languageLengths(segments, some);
    const norms = new Float32Array(rows);
    for (const { first, keyword } of segments) {
      const typicalOf = Float64Array.from(
        keyword.manifest.languages,
        ({ language }) => measured.get(language)?.typical || 1,
      );
      for (const step of rowSteps(keyword.lengths.length)) {
        writeNorms(keyword, typicalOf, step, norms.subarray(first));
        yield;
      }
    }
    return new CorpusStatistics(segments, some, measured, norms);
  }

  /** Measures the `live` rows at once; default: all rows. */
  static of(segments: readonly PlacedSegment[], live?: CandidateRows): CorpusStatistics {
    const steps = CorpusStatistics.measuring(segments, live);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
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

/** Writes the norms of some documents of a segment, whose languages have these typical lengths, by number. */
function writeNorms(
  { lengths, languages }: KeywordSegment,
  typicalOf: Float64Array,
  { from, to }: RowStep,
  norms: Float32Array,
): void {
  for (let row = from; row < to; row += 1)
    norms[row] = 2 * k1 * (1 - b + (b * lengths[row]!) / typicalOf[languages[row]!]!);
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
