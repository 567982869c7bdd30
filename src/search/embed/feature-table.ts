import { OpenFile } from "../../files/open-file.js";
import type { ReadableBytes } from "../../files/readable-bytes.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { FEATURE_BYTES, readFeature } from "./stored-feature.js";

const { dimensions } = SEARCH_DEFAULTS;
/** Vectors of a block, whose start is known. */
export const BLOCK = 64;

/** The different feature vectors of a fitted embedder, in a file; the vocabulary says which feature has which. */
export class FeatureTable {
  private constructor(
    private readonly file: ReadableBytes,
    /** Where each block starts. */
    private readonly starts: Uint32Array,
    /** Bytes of each vector. */
    private readonly lengths: Uint16Array,
  ) {}

  /**
   * Opens the file.
   * @throws RangeError if it has not so many vectors.
   */
  static open(path: string, vectors: number): FeatureTable {
    const file = OpenFile.open(path);
    try {
      return FeatureTable.of(file, vectors);
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /**
   * Reads where vectors start.
   * @throws RangeError if there are not so many.
   */
  static of(file: ReadableBytes, vectors: number): FeatureTable {
    const { size } = file;
    const broken = () => new RangeError(`the feature vectors are not whole: ${size} bytes`);
    const starts = new Uint32Array(Math.ceil(vectors / BLOCK));
    const lengths = new Uint16Array(vectors);
    const end = size - starts.byteLength - lengths.byteLength;
    if (end < 0) throw broken();
    file.read(starts, end);
    file.read(lengths, end + starts.byteLength);
    const table = new FeatureTable(file, starts, lengths);
    if ((vectors === 0 ? 0 : table.startOf(vectors - 1) + table.lengthOf(vectors - 1)) !== end)
      throw broken();
    return table;
  }

  /** Reads `count` vectors from `first` on, 1536 signed bytes each. */
  read(first: number, count: number, into: Int8Array): void {
    let bytes = 0;
    for (let i = first; i < first + count; i += 1) bytes += this.lengthOf(i);
    const stored = new Uint8Array(bytes);
    this.file.read(stored, this.startOf(first));
    let at = 0;
    for (let i = 0; i < count; i += 1) {
      const own = stored.subarray(at, at + this.lengthOf(first + i));
      readFeature(own, into.subarray(i * dimensions, (i + 1) * dimensions));
      at += own.length;
    }
  }

  private startOf(vector: number): number {
    const block = Math.floor(vector / BLOCK);
    let start = this.starts[block]!;
    for (let i = block * BLOCK; i < vector; i += 1) start += this.lengthOf(i);
    return start;
  }

  private lengthOf(vector: number): number {
    return Math.min(this.lengths[vector]!, FEATURE_BYTES);
  }

  close(): void {
    this.file.close();
  }
}
