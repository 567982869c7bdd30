import { SEARCH_DEFAULTS } from "../defaults.js";
import { BLOCK } from "./feature-table.js";

const { fineFeatures } = SEARCH_DEFAULTS.embed;
const LEAST_BITS = 6;
const SEED = 0x811c9dc5 | 0;
const PRIME = 0x0100_0193;
const SPREAD = 0x9e37_79b1;
/** Bytes that are hashed and compared together. */
const WORD = 4;

/**
 * From how many documents on a feature's vector is kept finely.
 * @param documents of each feature
 */
export function fineFrom(documents: Uint32Array): number {
  const sorted = documents.slice().sort();
  // Ties with the first that is one too many are coarse.
  return (sorted[sorted.length - 1 - fineFeatures] ?? -1) + 1;
}

/** Capacity of a {@link FeatureTableWriter}. */
export interface TableRoom {
  /** Most vectors that are added. */
  readonly vectors: number;
  /** Bytes that they may take; more are taken as they are needed. */
  readonly bytes: number;
}

/**
 * Collects the different vectors of features, as `FeatureShrinker` stores them, in the order in which they come: features of the
 * same documents have one. Finds equal ones in an open-addressing hash table, and compares their bytes.
 */
export class FeatureTableWriter {
  private bytes: Uint8Array;
  private words: DataView;
  /** Where each vector starts, and where the last ends. */
  private readonly starts: number[] = [0];
  private readonly bits: number;
  /** Numbers of vectors, plus 1. */
  private readonly slots: Uint32Array;

  constructor({ vectors, bytes }: TableRoom) {
    this.bits = Math.max(LEAST_BITS, 33 - Math.clz32(vectors));
    this.slots = new Uint32Array(2 ** this.bits);
    this.bytes = new Uint8Array(bytes);
    this.words = new DataView(this.bytes.buffer);
  }

  /** All vectors, one after another; valid until one is added. */
  get vectors(): Uint8Array {
    return this.bytes.subarray(0, this.starts.at(-1));
  }

  /** Bytes of each vector. */
  get lengths(): Uint16Array {
    return Uint16Array.from({ length: this.count }, (_, i) => this.starts[i + 1]! - this.starts[i]!);
  }

  /** Adds a vector, unless it is known, and returns its number. */
  add(stored: Uint8Array): number {
    const start = this.starts[this.count]!;
    const end = start + stored.length;
    if (end > this.bytes.length) this.lengthen(end);
    this.bytes.set(stored, start);
    const slot = this.find(start, end);
    const known = this.slots[slot]!;
    if (known > 0) return known - 1;
    this.starts.push(end);
    this.slots[slot] = this.count;
    return this.count - 1;
  }

  /** What the file ends with: where each {@link BLOCK} vectors start, 32-bit integers, then the length of each vector, 16 bits. */
  end(): Uint8Array {
    const blocks = Math.ceil(this.count / BLOCK);
    const starts = Uint32Array.from({ length: blocks }, (_, block) => this.starts[block * BLOCK]!);
    return Buffer.concat([starts.buffer, this.lengths.buffer].map((part) => new Uint8Array(part)));
  }

  private get count(): number {
    return this.starts.length - 1;
  }

  /** The slot of the vector that has the bytes from `start` to before `end`, or else an empty one for it. */
  private find(start: number, end: number): number {
    const { slots, words, bytes } = this;
    let hash = SEED;
    let at = start;
    for (; at + WORD <= end; at += WORD)
      hash = Math.imul(hash ^ words.getUint32(at, true), PRIME) ^ (hash >>> 15);
    for (; at < end; at += 1) hash = Math.imul(hash ^ bytes[at]!, PRIME);
    let slot = Math.imul(hash, SPREAD) >>> (32 - this.bits);
    while (slots[slot] !== 0 && !this.same(slots[slot]! - 1, start, end))
      slot = (slot + 1) & (slots.length - 1);
    return slot;
  }

  private same(vector: number, start: number, end: number): boolean {
    const { bytes, words } = this;
    let other = this.starts[vector]!;
    if (this.starts[vector + 1]! - other !== end - start) return false;
    let at = start;
    for (; at + WORD <= end; at += WORD, other += WORD)
      if (words.getUint32(at) !== words.getUint32(other)) return false;
    for (; at < end; at += 1, other += 1) if (bytes[at] !== bytes[other]) return false;
    return true;
  }

  private lengthen(least: number): void {
    const longer = new Uint8Array(Math.max(least, this.bytes.length * 2));
    longer.set(this.bytes);
    this.bytes = longer;
    this.words = new DataView(longer.buffer);
  }
}
