import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { CandidateRows } from "../../document.js";
import type { PlacedSegment } from "../placed-segment.js";
import { type LengthTotals, typicalLength } from "./typical-length.js";

const { longShare } = SEARCH_DEFAULTS.keyword;

/** Lengths of a language's documents, in half words. */
export interface LanguageLengths {
  readonly documents: number;
  /** Sum over the documents. */
  readonly length: number;
  /** The length that others are measured by: see {@link typicalLength}. */
  readonly typical: number;
}

type Totals = { -readonly [Name in keyof LengthTotals]: LengthTotals[Name] };

const NONE: LengthTotals = {
  documents: 0,
  length: 0,
  squares: 0,
  longDocuments: 0,
  longLength: 0,
  longestDocuments: 0,
  longestLength: 0,
};

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
    if (length * totals.length < totals.squares) return;
    totals.longestDocuments += 1;
    totals.longestLength += length;
  });
  const measured = new Map<string, LanguageLengths>();
  for (const [language, totals] of languages) {
    const { documents, length } = totals;
    if (documents > 0) measured.set(language, { documents, length, typical: typicalLength(totals) });
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
      const totals = known ?? { ...NONE };
      languages.set(language, totals);
      return totals;
    });
    const { lengths, languages: numbers } = keyword;
    for (let row = 0; row < lengths.length; row += 1)
      if (live === undefined || live.has(first + row)) visit(byNumber[numbers[row]!]!, lengths[row]!);
  }
}
