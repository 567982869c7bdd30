import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { CandidateRows } from "../../document.js";
import type { PlacedSegment } from "../placed-segment.js";
import { type RowStep, rowSteps } from "./row-steps.js";
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

/** Sums of each language, at its place. */
interface Sums {
  readonly documents: Float64Array;
  readonly length: Float64Array;
  readonly squares: Float64Array;
  readonly longDocuments: Float64Array;
  readonly longLength: Float64Array;
  readonly longestDocuments: Float64Array;
  readonly longestLength: Float64Array;
}

/** Measures the live documents of each language that has any, in steps between which the event loop may turn. */
export function* languageLengths(
  segments: readonly PlacedSegment[],
  live: CandidateRows | undefined,
): Generator<void, Map<string, LanguageLengths>> {
  const places = new Map<string, number>();
  const numbered = segments.map((segment) => ({ segment, placeOf: placesIn(segment, places) }));
  const sums = zeros(places.size);
  for (const add of [addUp, addUpLong]) {
    for (const { segment, placeOf } of numbered) {
      for (const rows of rowSteps(segment.keyword.lengths.length)) {
        add(segment, rows, placeOf, live, sums);
        yield;
      }
    }
  }
  const measured = new Map<string, LanguageLengths>();
  for (const [language, place] of places) {
    const totals = totalsOf(sums, place);
    const { documents, length } = totals;
    if (documents > 0) measured.set(language, { documents, length, typical: typicalLength(totals) });
  }
  return measured;
}

/** The place of each language of a segment, by its number there. */
function placesIn({ keyword }: PlacedSegment, places: Map<string, number>): Uint32Array {
  return Uint32Array.from(keyword.manifest.languages, ({ language }) => {
    const place = places.get(language) ?? places.size;
    places.set(language, place);
    return place;
  });
}

function zeros(count: number): Sums {
  return {
    documents: new Float64Array(count),
    length: new Float64Array(count),
    squares: new Float64Array(count),
    longDocuments: new Float64Array(count),
    longLength: new Float64Array(count),
    longestDocuments: new Float64Array(count),
    longestLength: new Float64Array(count),
  };
}

function totalsOf(sums: Sums, place: number): LengthTotals {
  return {
    documents: sums.documents[place]!,
    length: sums.length[place]!,
    squares: sums.squares[place]!,
    longDocuments: sums.longDocuments[place]!,
    longLength: sums.longLength[place]!,
    longestDocuments: sums.longestDocuments[place]!,
    longestLength: sums.longestLength[place]!,
  };
}

function addUp(
  { first, keyword }: PlacedSegment,
  { from, to }: RowStep,
  placeOf: Uint32Array,
  live: CandidateRows | undefined,
  sums: Sums,
): void {
  const { lengths, languages } = keyword;
  const { documents, length: total, squares } = sums;
  for (let row = from; row < to; row += 1) {
    if (live !== undefined && !live.has(first + row)) continue;
    const place = placeOf[languages[row]!]!;
    const length = lengths[row]!;
    documents[place]! += 1;
    total[place]! += length;
    squares[place]! += length * length;
  }
}

/** Adds up the documents from a share of the length at which an average word is found, and from that length, on. */
function addUpLong(
  { first, keyword }: PlacedSegment,
  { from, to }: RowStep,
  placeOf: Uint32Array,
  live: CandidateRows | undefined,
  sums: Sums,
): void {
  const { lengths, languages } = keyword;
  const { length: total, squares, longDocuments, longLength, longestDocuments, longestLength } = sums;
  for (let row = from; row < to; row += 1) {
    if (live !== undefined && !live.has(first + row)) continue;
    const place = placeOf[languages[row]!]!;
    const length = lengths[row]!;
    const scaled = length * total[place]!;
    if (scaled < longShare * squares[place]!) continue;
    longDocuments[place]! += 1;
    longLength[place]! += length;
    if (scaled < squares[place]!) continue;
    longestDocuments[place]! += 1;
    longestLength[place]! += length;
  }
}
