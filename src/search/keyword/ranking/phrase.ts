import type { QueryTerm } from "../../analysis/query-terms.js";
import type { CandidateRows } from "../../document.js";
import { BLOCK } from "../format.js";
import type { KeywordSegment } from "../keyword-segment.js";
import type { PlacedSegment } from "../placed-segment.js";
import { PositionsReader } from "../postings/positions.js";
import type { PostingCursor } from "../postings/posting-cursor.js";
import type { TermEntry } from "../terms/term-dictionary.js";
import type { Pause } from "./bm25.js";

/** Rows between two looks at how much has been read. */
const ROWS = 256;
/** Postings that are scored in the time that it takes to seek a row, and to read a position. */
const SEEK = 100;
const POSITION = 10;

/**
 * Returns the candidates whose documents contain every phrase: its terms at their relative positions.
 * @throws what `pause.wait` throws
 */
export async function rowsWithPhrases(
  segments: readonly PlacedSegment[],
  phrases: readonly (readonly QueryTerm[])[],
  candidates: CandidateRows,
  pause?: Pause,
): Promise<number[]> {
  const rows: number[] = [];
  const read = { count: 0 };
  const rest = async () => {
    if (pause === undefined || read.count < pause.postings) return;
    read.count = 0;
    await pause.wait();
  };
  for (const { first, keyword } of segments) {
    let matching: number[] | undefined;
    for (const phrase of unlike(phrases)) {
      if (matching?.length === 0) break;
      const search = new PhraseSearch(keyword, phrase, read);
      const among: readonly number[] =
        matching ?? (await search.rows(rest)).filter((row) => candidates.has(first + row));
      matching = [];
      for (const [i, row] of among.entries()) {
        if (i % ROWS === 0) await rest();
        if (search.isIn(row)) matching.push(row);
      }
    }
    for (const row of matching ?? []) rows.push(first + row);
  }
  return rows;
}

/** The phrases without those that come again. */
function unlike(phrases: readonly (readonly QueryTerm[])[]): Iterable<readonly QueryTerm[]> {
  const found = new Map<string, readonly QueryTerm[]>();
  for (const phrase of phrases) {
    const [start] = phrase;
    const key = phrase.map(({ alternatives, position }) => [position - start!.position, alternatives]);
    found.set(JSON.stringify(key), phrase);
  }
  return found.values();
}

/** Looks for a phrase in the documents of a segment, in ascending order. */
class PhraseSearch {
  /** The rarest first. */
  private readonly places: readonly PhrasePosition[];

  /** @param read counts the postings and positions that are read */
  constructor(
    segment: KeywordSegment,
    phrase: readonly QueryTerm[],
    private readonly read: { count: number },
  ) {
    this.places = phrase
      .map((term) => new PhrasePosition(segment, term))
      .sort((a, b) => a.documents - b.documents);
  }

  /** The rows that contain the rarest term, none if one of the terms occurs nowhere. */
  async rows(rest: () => Promise<void>): Promise<number[]> {
    const [rarest] = this.places;
    return rarest!.documents === 0 ? [] : rarest!.rows(this.read, rest);
  }

  isIn(row: number): boolean {
    const { places, read } = this;
    read.count += places.length * SEEK;
    for (const place of places) if (!place.seek(row)) return false;
    let starts: readonly number[] | undefined;
    for (const place of places) {
      const found = place.starts();
      read.count += found.length * POSITION;
      if (starts !== undefined) {
        const known: ReadonlySet<number> = new Set(starts);
        starts = found.filter((start) => known.has(start));
      } else starts = found;
      if (starts.length === 0) return false;
    }
    return true;
  }
}

/** One position of a phrase in a segment: the term's alternatives, read together. */
class PhrasePosition {
  readonly documents: number;
  private readonly walks: readonly PostingWalk[];
  private row = -1;

  constructor(
    private readonly segment: KeywordSegment,
    private readonly term: QueryTerm,
  ) {
    this.walks = term.alternatives.flatMap((text) => {
      const entry = segment.find(text);
      return entry === undefined ? [] : [new PostingWalk(segment, entry, spokenIn(segment, term, text))];
    });
    this.documents = this.walks.reduce((sum, { documents }) => sum + documents, 0);
  }

  /** Rows that contain the term, ascending. */
  async rows(read: { count: number }, rest: () => Promise<void>): Promise<number[]> {
    const bits = new Uint32Array(Math.ceil(this.segment.manifest.documentCount / 32));
    for (const walk of this.walks) {
      const cursor = walk.newCursor();
      for (let left = 0; cursor.next(); left -= 1) {
        if (walk.isSpoken(cursor.row)) bits[cursor.row >>> 5]! |= 1 << (cursor.row & 31);
        if (left > 0) continue;
        left = ROWS;
        read.count += ROWS;
        await rest();
      }
    }
    const rows: number[] = [];
    for (let word = 0; word < bits.length; word += 1) {
      for (let left = bits[word]!; left !== 0; left &= left - 1)
        rows.push(word * 32 + 31 - Math.clz32(left & -left));
    }
    return rows;
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

/** Which languages of a segment have a word in a form: by language number 1 or 0; undefined if all have. */
function spokenIn(segment: KeywordSegment, { forms }: QueryTerm, text: string): Uint8Array | undefined {
  const spoken = forms?.spokenIn(text);
  return spoken === undefined ? undefined : segment.among(spoken);
}

/** Reads the postings of a form of a word with their positions, in documents of the languages that have it. */
class PostingWalk {
  readonly documents: number;
  private readonly cursor: PostingCursor;
  /** Undefined for a term that has no positions. */
  private readonly reader: PositionsReader | undefined;
  private skipped = 0;

  constructor(
    private readonly segment: KeywordSegment,
    private readonly entry: TermEntry,
    private readonly spoken: Uint8Array | undefined,
  ) {
    this.documents = entry.documents;
    this.cursor = this.newCursor();
    this.reader = entry.positions.bytes === 0 ? undefined : new PositionsReader(segment.positions(entry));
  }

  /** A cursor over the postings in documents of all languages. */
  newCursor(): PostingCursor {
    return this.segment.cursor(this.entry);
  }

  isSpoken(row: number): boolean {
    return this.spoken === undefined || this.spoken[this.segment.languages[row]!] !== 0;
  }

  seek(row: number): boolean {
    return this.isSpoken(row) && this.cursor.advance(row) && this.cursor.row === row;
  }

  /** Positions in the row of the last successful `seek`, once; none in other rows. */
  positions(row: number): number[] {
    const { reader } = this;
    if (this.cursor.row !== row || reader === undefined || !this.isSpoken(row)) return [];
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
