import type { QueryTerm } from "../../analysis/query-terms.js";
import type { CandidateRows } from "../../document.js";
import { BLOCK } from "../format.js";
import type { KeywordSegment } from "../keyword-segment.js";
import type { PlacedSegment } from "../placed-segment.js";
import { PositionsReader } from "../postings/positions.js";
import type { PostingCursor } from "../postings/posting-cursor.js";
import type { TermEntry } from "../terms/term-dictionary.js";

/** Returns the candidates whose documents contain every phrase: its terms at their relative positions. */
export function rowsWithPhrases(
  segments: readonly PlacedSegment[],
  phrases: readonly (readonly QueryTerm[])[],
  candidates: CandidateRows,
): number[] {
  const rows: number[] = [];
  for (const { first, keyword } of segments) {
    let matching: number[] | undefined;
    for (const phrase of phrases) {
      const found = rowsWithPhrase(keyword, phrase, (row) => candidates.has(first + row), matching);
      matching = found;
    }
    for (const row of matching ?? []) rows.push(first + row);
  }
  return rows;
}

function rowsWithPhrase(
  segment: KeywordSegment,
  phrase: readonly QueryTerm[],
  accept: (row: number) => boolean,
  among: readonly number[] | undefined,
): number[] {
  const places = phrase
    .map((term) => new PhrasePosition(segment, term))
    .sort((a, b) => a.documents - b.documents);
  if (places.some(({ documents }) => documents === 0)) return [];
  const rows: number[] = [];
  const rarest = places[0]!;
  const candidates = among ?? rarest.rows();
  for (const row of candidates) {
    if (!accept(row) || !places.every((place) => place.seek(row))) continue;
    let starts = new Set(rarest.starts());
    for (const place of places.slice(1)) {
      starts = new Set(place.starts().filter((start) => starts.has(start)));
      if (starts.size === 0) break;
    }
    if (starts.size > 0) rows.push(row);
  }
  return rows;
}

/** One position of a phrase in a segment: the term's alternatives, read together. */
class PhrasePosition {
  readonly documents: number;
  private readonly entries: readonly TermEntry[];
  private readonly walks: readonly PostingWalk[];
  private row = -1;

  constructor(
    private readonly segment: KeywordSegment,
    private readonly term: QueryTerm,
  ) {
    this.entries = term.alternatives
      .map((alternative) => segment.find(alternative))
      .filter((entry) => entry !== undefined);
    this.documents = this.entries.reduce((sum, { documents }) => sum + documents, 0);
    this.walks = this.entries.map((entry) => new PostingWalk(segment, entry));
  }

  /** Rows that contain the term, ascending. */
  rows(): number[] {
    const rows = new Set<number>();
    for (const entry of this.entries) {
      const cursor = this.segment.cursor(entry);
      while (cursor.next()) rows.add(cursor.row);
    }
    return [...rows].sort((a, b) => a - b);
  }

  /** Advances to a row; false if the term is not in it. */
  seek(row: number): boolean {
    this.row = row;
    let found = false;
    for (const walk of this.walks) if (walk.seek(row)) found = true;
    return found;
  }

  /** Start of the phrase for each position of the term in the current row. */
  starts(): number[] {
    return this.walks.flatMap((walk) => walk.positions(this.row).map((p) => p - this.term.position));
  }
}

/** Reads the postings of a term with their positions. */
class PostingWalk {
  private readonly cursor: PostingCursor;
  /** Undefined for a term that has no positions. */
  private readonly reader: PositionsReader | undefined;
  private skipped = 0;

  constructor(segment: KeywordSegment, entry: TermEntry) {
    this.cursor = segment.cursor(entry);
    this.reader = entry.positions.bytes === 0 ? undefined : new PositionsReader(segment.positions(entry));
  }

  seek(row: number): boolean {
    return this.cursor.advance(row) && this.cursor.row === row;
  }

  /** Positions in the row of the last successful `seek`, once; none in other rows. */
  positions(row: number): number[] {
    const { reader } = this;
    if (this.cursor.row !== row || reader === undefined) return [];
    const target = this.cursor.ordinal - 1;
    const block = Math.floor(target / BLOCK);
    if (block > 0 && this.skipped < block * BLOCK) {
      this.skipped = block * BLOCK;
      reader.offset = this.cursor.positionsEnd(block - 1);
    }
    for (; this.skipped < target; this.skipped += 1) reader.skip();
    this.skipped += 1;
    return reader.read();
  }
}
