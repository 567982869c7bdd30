import { SEARCH_DEFAULTS } from "../defaults.js";
import { INDEX_ENTRY, type IndexVectors } from "../embed/index-vector.js";
import type { GatherTable } from "./gather-table.js";

const { dimensions } = SEARCH_DEFAULTS;
const INDEX_SHARE = (1 - SEARCH_DEFAULTS.embed.reflection) * INDEX_ENTRY;

/** Features of a text, as rows of the vocabulary with weights. */
interface WeightedText {
  readonly rows: Uint32Array;
  readonly weights: Float32Array;
}

/** Features of a vocabulary: their numbers, and their vectors in a table. */
export interface ModelColumns {
  readonly features: Uint32Array;
  /** By feature: what the bytes of its vector are multiplied by. */
  readonly scales: Float32Array;
  readonly table: GatherTable;
  /** By feature: the row of its vector in the table; default: the same. */
  readonly places?: Uint32Array;
}

/** Sums feature vectors to text vectors, in batches. */
export class ReflectiveSum {
  private readonly batch: WeightedText[] = [];
  private scaled = new Float32Array(256);
  private placed = new Uint32Array(256);

  /** `index` contains the model's features. */
  constructor(
    private readonly model: ModelColumns,
    private readonly index: IndexVectors,
  ) {}

  /**
   * Adds a text to the batch; its arrays must not change before {@link take}. Returns false if the batch is
   * full.
   */
  add(text: WeightedText): boolean {
    const { rows, weights } = text;
    const { table, places, scales } = this.model;
    if (rows.length > this.scaled.length) {
      this.scaled = new Float32Array(rows.length * 2);
      this.placed = new Uint32Array(rows.length * 2);
    }
    const scaled = this.scaled.subarray(0, rows.length);
    for (let i = 0; i < rows.length; i += 1) {
      const row = rows[i]!;
      scaled[i] = weights[i]! * scales[row]!;
      if (places !== undefined) this.placed[i] = places[row]!;
    }
    if (!table.add(places === undefined ? rows : this.placed.subarray(0, rows.length), scaled)) return false;
    this.batch.push(text);
    return true;
  }

  /**
   * Returns the unit vectors of the batch's texts, zeros for texts without features; valid until the next call.
   */
  take(): Float32Array {
    const vectors = this.model.table.gather();
    const { index } = this;
    this.batch.forEach(({ rows, weights }, i) => {
      const vector = vectors.subarray(i * dimensions, (i + 1) * dimensions);
      index.sum(rows, weights);
      index.other.set(vector);
      index.blend(INDEX_SHARE);
      const { length } = index.measure();
      const inverse = length === 0 ? 0 : 1 / length;
      for (let k = 0; k < dimensions; k += 1) vector[k] = index.vector[k]! * inverse;
    });
    this.batch.length = 0;
    return vectors;
  }
}
