import { SEARCH_DEFAULTS } from "../defaults.js";
import { INDEX_ENTRY, type IndexVectors } from "../embed/index-vector.js";
import type { Vocabulary } from "../embed/vocabulary.js";
import type { GatherTable } from "./gather-table.js";

const { dimensions } = SEARCH_DEFAULTS;
const INDEX_SHARE = (1 - SEARCH_DEFAULTS.embed.reflection) * INDEX_ENTRY;

/** Features of a text, each as a row of the vocabulary with its weight. */
interface WeighedText {
  readonly rows: Uint32Array;
  readonly weights: Float32Array;
}

/** The bytes of the vectors of a vocabulary's rows. */
export interface ModelTable {
  readonly table: GatherTable;
  /** By row of the vocabulary: its row in the table; the same where absent. */
  readonly places?: Uint32Array;
}

/** Adds features' vectors up to the vectors of texts, a batch of texts at a time. */
export class ReflectiveSum {
  private readonly batch: WeighedText[] = [];
  private scaled = new Float32Array(256);
  private placed = new Uint32Array(256);

  /** `index` lists the vocabulary's features. */
  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly index: IndexVectors,
    private readonly model: ModelTable,
  ) {}

  /** Adds a text to the batch; the arrays must stay as they are until it is taken. Returns false where there is no more room. */
  add(text: WeighedText): boolean {
    const { rows, weights } = text;
    const { table, places } = this.model;
    if (rows.length > this.scaled.length) {
      this.scaled = new Float32Array(rows.length * 2);
      this.placed = new Uint32Array(rows.length * 2);
    }
    const scaled = this.scaled.subarray(0, rows.length);
    for (let i = 0; i < rows.length; i += 1) {
      const row = rows[i]!;
      scaled[i] = weights[i]! * this.vocabulary.scales[row]!;
      if (places !== undefined) this.placed[i] = places[row]!;
    }
    if (!table.add(places === undefined ? rows : this.placed.subarray(0, rows.length), scaled)) return false;
    this.batch.push(text);
    return true;
  }

  /** The vectors of the batch's texts, of length 1, or all zeros for one without features; valid until the next call. */
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
