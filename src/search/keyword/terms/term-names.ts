import { TextEncoder } from "node:util";
import { hashBytes } from "../format.js";

/** Terms of a bucket, on average: looking one up passes half of them. */
const BUCKET_TERMS = 8;

const encoder = new TextEncoder();

/** Number of buckets of a dictionary of so many terms. */
export function bucketCount(terms: number): number {
  return Math.max(1, Math.ceil(terms / BUCKET_TERMS));
}

/** The bucket of a term in UTF-8, which a range of bytes holds. */
export function bucketOf(bytes: Uint8Array, start: number, end: number, buckets: number): number {
  return Math.floor((hashBytes(bytes, start, end) / 2 ** 32) * buckets);
}

/** Writes a term in UTF-8 to an offset, where there is room for three bytes a letter; returns the offset after it. */
export function writeTerm(term: string, into: Uint8Array, offset: number): number {
  // Most terms are short and ASCII, where a call of the encoder takes longer than the rest.
  for (let i = 0; i < term.length; i += 1) {
    const code = term.charCodeAt(i);
    if (code > 0x7f) return offset + encoder.encodeInto(term, into.subarray(offset)).written;
    into[offset + i] = code;
  }
  return offset + term.length;
}

/** The terms of a segment in UTF-8, by number, and the order in which a dictionary has them. */
export class TermNames {
  readonly buckets: number;
  private readonly ends: Uint32Array;
  private readonly bucketOfTerm: Uint32Array;
  private bytes = new Uint8Array(1 << 16);

  /** @param terms `count` of them, by number */
  constructor(terms: Iterable<string>, count: number) {
    this.buckets = bucketCount(count);
    this.ends = new Uint32Array(count);
    this.bucketOfTerm = new Uint32Array(count);
    let number = 0;
    let used = 0;
    for (const term of terms) {
      this.reserve(used + term.length * 3);
      const end = writeTerm(term, this.bytes, used);
      this.bucketOfTerm[number] = bucketOf(this.bytes, used, end, this.buckets);
      this.ends[number++] = end;
      used = end;
    }
  }

  /** Number of terms. */
  get count(): number {
    return this.ends.length;
  }

  /** A term in UTF-8. */
  name(number: number): Uint8Array {
    return this.bytes.subarray(number === 0 ? 0 : this.ends[number - 1]!, this.ends[number]!);
  }

  /** The bucket of a term. */
  bucket(number: number): number {
    return this.bucketOfTerm[number]!;
  }

  /** The numbers of all terms, by bucket; within one, ascending. */
  order(): Uint32Array {
    const { bucketOfTerm } = this;
    const next = new Uint32Array(this.buckets + 1);
    for (const bucket of bucketOfTerm) next[bucket + 1]! += 1;
    for (let bucket = 0; bucket < this.buckets; bucket += 1) next[bucket + 1]! += next[bucket]!;
    const order = new Uint32Array(bucketOfTerm.length);
    bucketOfTerm.forEach((bucket, number) => {
      order[next[bucket]!++] = number;
    });
    return order;
  }

  private reserve(bytes: number): void {
    if (bytes <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, bytes));
    grown.set(this.bytes);
    this.bytes = grown;
  }
}
