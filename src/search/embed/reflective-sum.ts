import { SEARCH_DEFAULTS } from "../defaults.js";
import type { GatherTable } from "./gather-table.js";
import { INDEX_ENTRY, type IndexVectors } from "./index-vector.js";
import type { Vocabulary } from "./vocabulary.js";

const { dimensions } = SEARCH_DEFAULTS;
const INDEX_SHARE = (1 - SEARCH_DEFAULTS.embed.reflection) * INDEX_ENTRY;

/** Features of a text, each as a row of the vocabulary with its weight. */
interface WeighedText {
  readonly rows: Uint32Array;
  readonly weights: Float32Array;
}

/** Adds features' vectors up to the vectors of texts, a batch of texts at a time. */
export class ReflectiveSum {
  private readonly batch: WeighedText[] = [];
  private scaled = new Float32Array(256);

  /** `table` holds the bytes of the vectors of the vocabulary's rows. */
  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly index: IndexVectors,
    private readonly table: GatherTable,
  ) {}

  /** Adds a text to the batch; the arrays must stay as they are until it is taken. Returns false where there is no more room. */
  add(text: WeighedText): boolean {
    const { rows, weights } = text;
    if (rows.length > this.scaled.length) this.scaled = new Float32Array(rows.length * 2);
    const scaled = this.scaled.subarray(0, rows.length);
    for (let i = 0; i < rows.length; i += 1) scaled[i] = weights[i]! * this.vocabulary.scales[rows[i]!]!;
    if (!this.table.add(rows, scaled)) return false;
    this.batch.push(text);
    return true;
  }

  /** The vectors of the batch's texts, of length 1, or all zeros for one without features; valid until the next call. */
  take(): Float32Array {
    const vectors = this.table.gather();
    this.batch.forEach(({ rows, weights }, i) => {
      const vector = vectors.subarray(i * dimensions, (i + 1) * dimensions);
      for (let k = 0; k < rows.length; k += 1) this.index.add(rows[k]!, weights[k]! * INDEX_SHARE, vector);
      normalize(vector);
    });
    this.batch.length = 0;
    return vectors;
  }
}

function normalize(vector: Float32Array): void {
  let square = 0;
  for (let k = 0; k < vector.length; k += 1) square += vector[k]! * vector[k]!;
  if (square === 0) return;
  const inverse = 1 / Math.sqrt(square);
  for (let k = 0; k < vector.length; k += 1) vector[k] = vector[k]! * inverse;
}
