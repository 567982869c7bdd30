import { TERMS_HEADER } from "../format.js";
import { VarintReader } from "../postings/varint.js";
import { bucketOf, writeTerm } from "./term-names.js";

/** A byte range of a file. */
export interface Extent {
  readonly offset: number;
  readonly bytes: number;
}

/** Dictionary entry of a term in a segment. */
export interface TermEntry {
  /** Number of documents that contain it. */
  readonly documents: number;
  /**
   * Largest frequency in a document, and length of the shortest document that contains the term, both in half
   * words.
   */
  readonly maxFrequency: number;
  readonly minLength: number;
  readonly postings: Extent;
  readonly positions: Extent;
  /** Number of documents that contain it, by language number. */
  readonly languages: readonly (readonly [language: number, documents: number])[];
}

/** An offset in a file is written as two integers: how often it has this, and the rest. */
export const OFFSET_UNIT = 2 ** 28;

/** Looks terms up in the bytes of a file of terms. */
export class TermDictionary {
  private readonly buckets: number;
  /** Where each bucket starts in the entries, and the last one ends. */
  private readonly starts: Uint32Array;
  private readonly entries: Uint8Array;
  /** The term that is looked up. */
  private name = new Uint8Array(256);

  /**
   * Opens a dictionary.
   * @throws RangeError if the bytes are incomplete.
   */
  constructor(bytes: Uint8Array) {
    const broken = () => new RangeError(`the file of terms is not whole: ${bytes.length} bytes`);
    const start = TERMS_HEADER * 4;
    if (bytes.length < start) throw broken();
    const header = new Uint32Array(bytes.buffer, bytes.byteOffset, TERMS_HEADER);
    const [buckets, , size] = header as unknown as [number, number, number];
    const head = start + (buckets + 1) * 4;
    if (buckets === 0 || bytes.length !== head + size) throw broken();
    const starts = new Uint32Array(bytes.buffer, bytes.byteOffset + start, buckets + 1);
    for (let bucket = 0; bucket < buckets; bucket += 1)
      if (starts[bucket]! > starts[bucket + 1]!) throw broken();
    if (starts[0] !== 0 || starts[buckets] !== size) throw broken();
    this.buckets = buckets;
    this.starts = starts;
    this.entries = bytes.subarray(head);
  }

  /**
   * Looks a term up; undefined if it does not occur.
   * @throws RangeError if the bytes are damaged
   */
  find(term: string): TermEntry | undefined {
    if (this.name.length < term.length * 3) this.name = new Uint8Array(term.length * 6);
    const { name } = this;
    const length = writeTerm(term, name, 0);
    const bucket = this.bucket(bucketOf(name, 0, length, this.buckets));
    while (bucket.next()) if (bucket.isNamed(name, length)) return bucket.entry();
    return undefined;
  }

  /**
   * All terms with their entries, in the order of their postings.
   * @throws RangeError if the bytes are damaged
   */
  *all(): Generator<[term: string, entry: TermEntry], void, void> {
    for (let number = 0; number < this.buckets; number += 1) {
      const bucket = this.bucket(number);
      while (bucket.next()) yield [bucket.term(), bucket.entry()];
    }
  }

  private bucket(number: number): Bucket {
    return new Bucket(this.entries, this.starts[number]!, this.starts[number + 1]!);
  }
}

/** Reads the entries of a bucket one after the other. */
class Bucket {
  private readonly reader: VarintReader;
  private nameAt = 0;
  private nameLength = 0;
  /** Documents, doubled, plus 1 where they are of one language. */
  private documents = 0;
  private maxFrequency = 0;
  private minLength = 0;
  private postings = { offset: 0, bytes: 0 };
  private positions = { offset: 0, bytes: 0 };
  /** How many pairs of language and documents there are from where on, or the only language. */
  private languages = 0;
  private languagesAt = 0;

  constructor(
    private readonly bytes: Uint8Array,
    start: number,
    private readonly end: number,
  ) {
    this.reader = new VarintReader(bytes, start);
    if (start === end) return;
    this.postings.offset = this.offset();
    this.positions.offset = this.offset();
  }

  /** Moves to the first or next entry; false after the last. */
  next(): boolean {
    const { reader, end, postings, positions } = this;
    if (reader.offset >= end) return false;
    this.nameLength = reader.next();
    this.nameAt = reader.offset;
    reader.offset += this.nameLength;
    this.documents = reader.next();
    this.maxFrequency = reader.next();
    this.minLength = reader.next();
    postings.offset += postings.bytes;
    postings.bytes = reader.next();
    positions.offset += positions.bytes;
    positions.bytes = reader.next();
    this.languages = reader.next();
    this.languagesAt = reader.offset;
    if ((this.documents & 1) === 0) {
      if (this.languages * 2 > end - reader.offset) throw damaged();
      for (let left = this.languages * 2; left > 0; left -= 1) reader.next();
    }
    if (reader.offset > end) throw damaged();
    return true;
  }

  /** Whether the entry is that of a term in UTF-8. */
  isNamed(name: Uint8Array, length: number): boolean {
    if (this.nameLength !== length) return false;
    const { bytes, nameAt } = this;
    for (let i = 0; i < length; i += 1) if (bytes[nameAt + i] !== name[i]) return false;
    return true;
  }

  term(): string {
    const { bytes, nameAt, nameLength } = this;
    return Buffer.from(bytes.buffer, bytes.byteOffset + nameAt, nameLength).toString();
  }

  entry(): TermEntry {
    const documents = this.documents >>> 1;
    return {
      documents,
      maxFrequency: this.maxFrequency,
      minLength: this.minLength,
      postings: { ...this.postings },
      positions: { ...this.positions },
      languages: (this.documents & 1) === 1 ? [[this.languages, documents]] : this.pairs(),
    };
  }

  private pairs(): TermEntry["languages"] {
    const reader = new VarintReader(this.bytes, this.languagesAt);
    return Array.from({ length: this.languages }, () => [reader.next(), reader.next()] as const);
  }

  private offset(): number {
    return this.reader.next() * OFFSET_UNIT + this.reader.next();
  }
}

function damaged(): RangeError {
  return new RangeError("the file of terms is damaged");
}
