import { SEARCH_DEFAULTS } from "../defaults.js";
import { INDEX_ENTRY, type IndexVectors } from "./index-vector.js";
import type { EmbedKernels } from "./kernels.js";
import type { Vocabulary } from "./vocabulary.js";

const INDEX_SHARE = (1 - SEARCH_DEFAULTS.embed.reflection) * INDEX_ENTRY;

/** Adds features' vectors up to the vector of a text. */
export class ReflectiveSum {
  private scaled = new Float32Array(256);

  /** `kernels` holds the bytes of the vectors of the vocabulary's rows. */
  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly index: IndexVectors,
    private readonly kernels: EmbedKernels,
  ) {}

  /** The vector, of length 1, of features given as rows with their weights; all zeros, and false, for none. */
  embed(rows: Uint32Array, weights: Float32Array, into: Float32Array): boolean {
    const { vector } = this.kernels;
    vector.fill(0);
    if (rows.length > this.scaled.length) this.scaled = new Float32Array(rows.length * 2);
    const scaled = this.scaled.subarray(0, rows.length);
    for (let i = 0; i < rows.length; i += 1) scaled[i] = weights[i]! * this.vocabulary.scales[rows[i]!]!;
    this.kernels.gather(rows, scaled);
    for (let i = 0; i < rows.length; i += 1) this.index.add(rows[i]!, weights[i]! * INDEX_SHARE, vector);
    let square = 0;
    for (let k = 0; k < vector.length; k += 1) square += vector[k]! * vector[k]!;
    if (square === 0) {
      into.fill(0);
      return false;
    }
    const inverse = 1 / Math.sqrt(square);
    for (let k = 0; k < vector.length; k += 1) into[k] = vector[k]! * inverse;
    return true;
  }
}
