import { SEARCH_DEFAULTS } from "../defaults.js";
import { FILL, LISTED } from "../embed/dimension-list.js";
import { createKernels, type EmbedKernels } from "../embed/kernels.js";
import { COARSE_BYTES, FEATURE_BYTES, LEVELS, LIST, SIGNS } from "../embed/stored-feature.js";

const { dimensions } = SEARCH_DEFAULTS;

/** The largest entry of a vector as a signed byte. */
export const LARGEST_BYTE = 127;
/** Largest magnitude of a signed byte. */
const LARGEST = 128;
/** Integers of a table of counts, of which the kernel has four, and where it puts the sum of magnitudes and of their squares. */
const COUNTS = 132;
const SUM = 129;
const SQUARES = 130;
/** Bytes after a stored vector that the kernel of lists may touch. */
const PAD = 4;

/** A feature vector as {@link FeatureShrinker} stores it. */
export interface ShrunkFeature {
  /** Its bytes, valid until the next one. */
  readonly stored: Uint8Array;
  /** What the numbers that `readFeature` reads are multiplied by, for a vector as long; 0 for zeros. */
  readonly scale: number;
}

/** Quantizes feature vectors, one after another, in WebAssembly memory. */
export class FeatureShrinker {
  /** The input vector. */
  readonly vector: Float32Array;
  /** The vector as signed bytes. */
  readonly bytes: Int8Array;
  private readonly measured: Float32Array;
  /** Numbers of the vector by magnitude. */
  private readonly counts: Uint32Array;
  private readonly stored: Uint8Array;

  private constructor(private readonly kernels: EmbedKernels) {
    const { buffer } = kernels.memory;
    this.vector = new Float32Array(buffer, 0, dimensions);
    this.measured = new Float32Array(buffer, end(this.vector), 4);
    this.counts = new Uint32Array(buffer, end(this.measured), COUNTS);
    this.bytes = new Int8Array(buffer, end(this.measured) + 4 * COUNTS * 4, dimensions);
    this.stored = new Uint8Array(buffer, end(this.bytes), FEATURE_BYTES + PAD);
  }

  /** Creates one with memory of its own. */
  static async create(): Promise<FeatureShrinker> {
    return new FeatureShrinker(
      await createKernels(dimensions * 5 + 16 + 4 * COUNTS * 4 + FEATURE_BYTES + PAD),
    );
  }

  /**
   * Quantizes {@link vector} to {@link bytes}, its largest magnitude 127.
   *
   * @returns the scale that gives the bytes the length of the reflection share; 0 for a zero vector
   */
  narrow(): number {
    const { kernels, measured } = this;
    kernels.measure(0, dimensions, measured.byteOffset);
    const length = Math.sqrt(measured[0]!);
    const largest = measured[1]!;
    const factor = largest === 0 ? 0 : LARGEST_BYTE / largest;
    kernels.narrow(0, dimensions, factor, this.bytes.byteOffset);
    return largest === 0 ? 0 : Math.fround(SEARCH_DEFAULTS.embed.reflection / (length * factor));
  }

  /**
   * Quantizes {@link bytes}, to what keeps their direction best: fine to 2 bits per dimension, by one of several
   * sets of levels; coarse to the signs of all dimensions, or to a list of those with the largest numbers and their signs, without what fills it up.
   *
   * @param scale what the bytes are multiplied by
   */
  shrink({ scale, fine }: { readonly scale: number; readonly fine: boolean }): ShrunkFeature {
    const { counts, stored } = this;
    counts.fill(0);
    this.kernels.tally(this.bytes.byteOffset, dimensions, counts.byteOffset);
    const [sum, squares] = [counts[SUM]!, counts[SQUARES]!];
    if (squares === 0) {
      stored[0] = LIST;
      return { stored: stored.subarray(0, 1), scale: 0 };
    }
    const { length, own } = fine ? this.finely(squares, sum) : this.coarsely(sum);
    return {
      stored: stored.subarray(0, length),
      scale: Math.fround((scale * Math.sqrt(squares)) / Math.sqrt(own)),
    };
  }

  /** Returns the bytes that it takes, and the sum of its numbers' squares. */
  private finely(squares: number, sum: number): { length: number; own: number } {
    const size = Math.sqrt(squares / dimensions);
    let best = { levels: 0, kept: -1, own: 1, from: 0 };
    for (let levels = 0; levels < LEVELS.length; levels += 1) {
      const { values, outer } = LEVELS[levels]!;
      const [near, far] = [values[2]!, values[3]!];
      const from = Math.floor(outer * size) + 1;
      const [count, total] = this.above(from);
      const product = far * total + near * (sum - total);
      const own = far * far * count + near * near * (dimensions - count);
      const kept = own === 0 ? 0 : (product * product) / own;
      if (kept > best.kept) best = { levels, kept, own, from };
    }
    this.stored[0] = best.levels;
    this.kernels.codes(this.bytes.byteOffset, dimensions, Math.min(best.from, LARGEST + 1), this.codesAt);
    return { length: FEATURE_BYTES, own: best.own };
  }

  /** Count and sum of the magnitudes from one on. */
  private above(from: number): readonly [count: number, sum: number] {
    let count = 0;
    let sum = 0;
    for (let size = from; size <= LARGEST; size += 1) {
      const more = this.counts[size]!;
      count += more;
      sum += more * size;
    }
    return [count, sum];
  }

  private coarsely(sum: number): { length: number; own: number } {
    const { kernels, stored } = this;
    const listed = this.listedFrom(sum);
    if (listed === undefined) {
      stored[0] = SIGNS;
      kernels.signs(this.bytes.byteOffset, dimensions, this.codesAt);
      return { length: COARSE_BYTES, own: dimensions };
    }
    stored.fill(FILL);
    stored[0] = LIST;
    kernels.list(this.bytes.byteOffset, dimensions, listed.least, this.codesAt);
    let length = COARSE_BYTES;
    while (length > 1 && stored[length - 1] === FILL) length -= 1;
    return { length, own: listed.count };
  }

  /**
   * The least magnitude of the numbers whose list keeps a direction best, and how many they are; undefined where signs keep it
   * better.
   */
  private listedFrom(sum: number): { least: number; count: number } | undefined {
    const { counts } = this;
    let best: { least: number; count: number } | undefined;
    let kept = (sum * sum) / dimensions;
    let product = 0;
    let count = 0;
    for (let size = LARGEST; size > 0; size -= 1) {
      const more = counts[size]!;
      product += more * size;
      count += more;
      if (count > LISTED) break;
      if (count === 0 || (product * product) / count <= kept) continue;
      kept = (product * product) / count;
      best = { least: size, count };
    }
    return best;
  }

  private get codesAt(): number {
    return this.stored.byteOffset + 1;
  }
}

function end({ byteOffset, byteLength }: ArrayBufferView): number {
  return byteOffset + byteLength;
}
