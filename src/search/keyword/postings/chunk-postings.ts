import type { NumberedTerms, TermKind, TermSink } from "../../analysis/term.js";
import { GrowableIntegers } from "../../numbers/growable-integers.js";
import { IntegerList } from "../../numbers/integer-list.js";
import { USUAL_FREQUENCY } from "../format.js";
import { writePositionCount } from "./positions.js";
import { writeVarint } from "./varint.js";

/** Length of a term by kind, in half words. */
const UNITS: Readonly<Record<TermKind, number>> = {
  word: 2,
  pair: 2,
  emoji: 2,
  variant: 2,
  compound: 2,
  part: 2,
  affix: 2,
  joint: 2,
  character: 1,
  syllable: 1,
};
/** Kinds that count towards document length and have a phrase position. The others repeat these. */
const COUNTED: ReadonlySet<TermKind> = new Set(["word", "syllable", "character", "pair", "emoji"]);
/** Integers per occurrence: as collected, and sorted by term. */
const GIVEN = 4;
const SORTED = 3;
/** Most bytes of a variable-length integer. */
const INTEGER = 5;

/** The inverted postings of consecutive documents; terms in the order of first occurrence. */
export interface InvertedChunk {
  readonly terms: readonly string[];
  /** By term: number of documents that contain it. */
  readonly found: Uint32Array;
  /** By term: the last document that contains it, counted from 0. */
  readonly last: Uint32Array;
  /** By term: bytes of its postings and of its positions. */
  readonly postingBytes: Uint32Array;
  readonly positionBytes: Uint32Array;
  /**
   * Bodies of sparse postings, see {@link KEYWORD_FILES}; the first distance counts from the first document.
   */
  readonly postings: Uint8Array;
  readonly positions: Uint8Array;
  /** By document: its length in half words. */
  readonly lengths: Uint32Array;
}

/** Collects the terms of consecutive documents and inverts them in memory. */
export class ChunkPostings implements TermSink {
  /**
   * Two integers per term number: 1 + its position in the chunk; its half words, doubled, plus 1 if its kind
   * counts.
   */
  private readonly known = new GrowableIntegers();
  /** By key of a term: 1 + its position in the chunk. */
  private readonly places = new GrowableIntegers();
  private terms: string[] = [];
  /** Occurrences: position of the term in the chunk, document, units, 1 + phrase position (0 without one). */
  private readonly occurrences = new IntegerList();
  private readonly lengths = new IntegerList();
  private weight = 1;
  private length = 0;

  /** Sets the weight of the following terms (an integer): the weight of their field. */
  setWeight(weight: number): void {
    this.weight = weight;
  }

  /** Adds an occurrence of a term, by its number, at a position of the document. */
  term(number: number, position: number, terms: NumberedTerms): void {
    const at = number * 2;
    const place = (this.known.get(at) || this.place(number, terms)) - 1;
    const kind = this.known.get(at + 1);
    const counted = (kind & 1) === 1;
    const units = (kind >>> 1) * this.weight;
    if (counted) this.length += units;
    this.occurrences.push4(place, this.lengths.length, units, counted ? position + 1 : 0);
  }

  /** Ends a document. */
  endDocument(): void {
    this.lengths.push(this.length);
    this.length = 0;
  }

  /** Returns the inverted documents added since the last call, and clears them. */
  take(): InvertedChunk {
    const { terms } = this;
    const inverted = invert(this.occurrences.view(), terms.length);
    const chunk = { terms, ...inverted, lengths: this.lengths.view().slice() };
    this.occurrences.clear();
    this.lengths.clear();
    this.known.clear();
    this.places.clear();
    this.terms = [];
    return chunk;
  }

  /** Adds a term that is new to the chunk; returns 1 + its position in the chunk. */
  private place(number: number, terms: NumberedTerms): number {
    const { text, kind, key } = terms.at(number);
    const place = this.places.get(key) || this.terms.push(text);
    this.places.set(key, place);
    this.known.set(number * 2, place);
    this.known.set(number * 2 + 1, UNITS[kind] * 2 + (COUNTED.has(kind) ? 1 : 0));
    return place;
  }
}

/** Moves a posting's first integer by `rows` rows. */
export function movedCode(code: number, rows: number): number {
  return code + rows * 2;
}

function invert(occurrences: Uint32Array, terms: number): Omit<InvertedChunk, "terms" | "lengths"> {
  const { sorted, starts } = byTerm(occurrences, terms);
  const found = new Uint32Array(terms);
  const last = new Uint32Array(terms);
  const postingBytes = new Uint32Array(terms);
  const positionBytes = new Uint32Array(terms);
  const most = (sorted.length / SORTED) * 2 * INTEGER;
  const postings = new Uint8Array(most);
  const positions = new Uint8Array(most);
  let [postingAt, positionAt] = [0, 0];
  for (let term = 0; term < terms; term += 1) {
    const [firstPosting, firstPosition] = [postingAt, positionAt];
    const end = starts[term + 1]! * SORTED;
    let next = 0;
    for (let at = starts[term]! * SORTED; at < end; ) {
      const first = at;
      const document = sorted[at]!;
      let frequency = 0;
      let places = 0;
      let firstPlace = 0;
      for (; at < end && sorted[at] === document; at += SORTED) {
        frequency += sorted[at + 1]!;
        const place = sorted[at + 2]!;
        if (place !== 0 && places++ === 0) firstPlace = place - 1;
      }
      const distance = document - next;
      next = document + 1;
      if (frequency === USUAL_FREQUENCY) postingAt = writeVarint(postings, postingAt, distance * 2 + 1);
      else postingAt = writeVarint(postings, writeVarint(postings, postingAt, distance * 2), frequency);
      positionAt = writePositionCount(positions, positionAt, places, firstPlace);
      if (places > 1) {
        let previous = 1;
        for (let i = first; i < at; i += SORTED) {
          const position = sorted[i + 2]!;
          if (position === 0) continue;
          positionAt = writeVarint(positions, positionAt, position - previous);
          previous = position;
        }
      }
      found[term]! += 1;
    }
    last[term] = next - 1;
    postingBytes[term] = postingAt - firstPosting;
    positionBytes[term] = positionAt - firstPosition;
  }
  return {
    found,
    last,
    postingBytes,
    positionBytes,
    postings: postings.slice(0, postingAt),
    positions: positions.slice(0, positionAt),
  };
}

/** Sorts occurrences by term, stable; those of term t are from `starts[t]` to `starts[t + 1]`. */
function byTerm(occurrences: Uint32Array, terms: number): { sorted: Uint32Array; starts: Uint32Array } {
  const starts = new Uint32Array(terms + 1);
  for (let i = 0; i < occurrences.length; i += GIVEN) starts[occurrences[i]! + 1]! += 1;
  for (let term = 0; term < terms; term += 1) starts[term + 1]! += starts[term]!;
  const next = starts.slice();
  const sorted = new Uint32Array((occurrences.length / GIVEN) * SORTED);
  for (let i = 0; i < occurrences.length; i += GIVEN) {
    const place = occurrences[i]!;
    const at = next[place]! * SORTED;
    next[place]! += 1;
    sorted[at] = occurrences[i + 1]!;
    sorted[at + 1] = occurrences[i + 2]!;
    sorted[at + 2] = occurrences[i + 3]!;
  }
  return { sorted, starts };
}
