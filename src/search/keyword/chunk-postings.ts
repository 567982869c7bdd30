import type { NumberedTerms, TermKind, TermSink } from "../analysis/term.js";
import { GrowableIntegers } from "../numbers/growable-integers.js";
import { IntegerList } from "../numbers/integer-list.js";
import { USUAL_FREQUENCY } from "./format.js";
import { writeVarint } from "./varint.js";

/** Half words that a term of each kind counts as. */
const UNITS: Readonly<Record<TermKind, number>> = {
  word: 2,
  pair: 2,
  emoji: 2,
  variant: 2,
  compound: 2,
  part: 2,
  affix: 2,
  character: 1,
  syllable: 1,
};
/** Kinds that make a document longer and have a place in a phrase; the others say again what these say. */
const COUNTED: ReadonlySet<TermKind> = new Set(["word", "syllable", "character", "pair", "emoji"]);
/** Integers of an occurrence: as it is given, and once it is sorted by its term. */
const GIVEN = 4;
const SORTED = 3;
/** Bytes that an integer takes, at most. */
const INTEGER = 5;

/** The postings of some documents that follow one another, in the order in which their terms were first seen. */
export interface InvertedChunk {
  readonly terms: readonly string[];
  /** By term: documents that hold it. */
  readonly found: Uint32Array;
  /** By term: the last document that holds it, from 0 on. */
  readonly last: Uint32Array;
  /** By term: bytes of its postings and of its positions. */
  readonly postingBytes: Uint32Array;
  readonly positionBytes: Uint32Array;
  /** As {@link KEYWORD_FILES} describes the body of sparse terms, the first distance counted from the first document. */
  readonly postings: Uint8Array;
  readonly positions: Uint8Array;
  /** By document: its length in half words. */
  readonly lengths: Uint32Array;
}

/** Takes the terms of documents, one after another, and inverts them in memory. */
export class ChunkPostings implements TermSink {
  /** Two numbers a term, by its number: 1 + its place in the chunk; its half words, doubled, plus 1 where its kind is counted. */
  private readonly known = new GrowableIntegers();
  /** By key of a term: 1 + its place. */
  private readonly places = new GrowableIntegers();
  private terms: string[] = [];
  /** An occurrence: place of its term, document, units, 1 + the position or 0 for a term that has no place in a phrase. */
  private readonly occurrences = new IntegerList();
  private readonly lengths = new IntegerList();
  private weight = 1;
  private length = 0;

  /** Says how much the terms that follow count (a whole number): the weight of their field. */
  setWeight(weight: number): void {
    this.weight = weight;
  }

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

  /** What was added since the last time, inverted. */
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

  /** 1 + the place of a term whose number is new to the chunk. */
  private place(number: number, terms: NumberedTerms): number {
    const { text, kind, key } = terms.at(number);
    const place = this.places.get(key) || this.terms.push(text);
    this.places.set(key, place);
    this.known.set(number * 2, place);
    this.known.set(number * 2 + 1, UNITS[kind] * 2 + (COUNTED.has(kind) ? 1 : 0));
    return place;
  }
}

/** The first integer of a posting whose distance is longer by so many rows. */
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
      for (; at < end && sorted[at] === document; at += SORTED) {
        frequency += sorted[at + 1]!;
        if (sorted[at + 2] !== 0) places += 1;
      }
      const distance = document - next;
      next = document + 1;
      if (frequency === USUAL_FREQUENCY) postingAt = writeVarint(postings, postingAt, distance * 2 + 1);
      else postingAt = writeVarint(postings, writeVarint(postings, postingAt, distance * 2), frequency);
      positionAt = writeVarint(positions, positionAt, places);
      let previous = 1;
      for (let i = first; i < at; i += SORTED) {
        const position = sorted[i + 2]!;
        if (position === 0) continue;
        positionAt = writeVarint(positions, positionAt, position - previous);
        previous = position;
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

/**
 * The occurrences of each term, in the order in which they came, without its place: those of term t from `starts[t]` up to
 * `starts[t + 1]`.
 */
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
