import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { CandidateRows } from "../../document.js";
import type { PlacedSegment } from "../placed-segment.js";

const { longShare, longWeight } = SEARCH_DEFAULTS.keyword;

/** Lengths of a language's documents, in half words. */
export interface LanguageLengths {
  readonly documents: number;
  /** Sum over the documents. */
  readonly length: number;
  /**
   * The length that others are measured by: the average, but no less than most of the average of the long documents. A lake
   * holds comments and articles of one language; measured by the average of both, an article with a whole answer would rank
   * below a comment with one word of it. Documents are long from a share of the length at which an average word is found.
   */
  readonly typical: number;
}

interface Totals {
  documents: number;
  length: number;
  squares: number;
  longDocuments: number;
  longLength: number;
}

/** Measures the live documents of each language that has any. */
export function languageLengths(
  segments: readonly PlacedSegment[],
  live: CandidateRows | undefined,
): Map<string, LanguageLengths> {
  const languages = new Map<string, Totals>();
  forEachDocument(segments, live, languages, (totals, length) => {
    totals.documents += 1;
    totals.length += length;
    totals.squares += length * length;
  });
  forEachDocument(segments, live, languages, (totals, length) => {
    if (length * totals.length < longShare * totals.squares) return;
    totals.longDocuments += 1;
    totals.longLength += length;
  });
  const measured = new Map<string, LanguageLengths>();
  for (const [language, { documents, length, longDocuments, longLength }] of languages) {
    if (documents === 0) continue;
    const ofLong = longDocuments === 0 ? 0 : longLength / longDocuments;
    measured.set(language, { documents, length, typical: Math.max(length / documents, longWeight * ofLong) });
  }
  return measured;
}

function forEachDocument(
  segments: readonly PlacedSegment[],
  live: CandidateRows | undefined,
  languages: Map<string, Totals>,
  visit: (totals: Totals, length: number) => void,
): void {
  for (const { first, keyword } of segments) {
    const byNumber = keyword.manifest.languages.map(({ language }) => {
      const known = languages.get(language);
      const totals = known ?? { documents: 0, length: 0, squares: 0, longDocuments: 0, longLength: 0 };
      languages.set(language, totals);
      return totals;
    });
    const { lengths, languages: numbers } = keyword;
    for (let row = 0; row < lengths.length; row += 1)
      if (live === undefined || live.has(first + row)) visit(byNumber[numbers[row]!]!, lengths[row]!);
  }
}
