import { SEARCH_DEFAULTS } from "../defaults.js";
import type { ByteVectorFile } from "./byte-vector-file.js";
import { BYTE_VECTOR } from "./byte-vectors.js";
import type { ExactScores } from "./exact-scores.js";
import { Kernels } from "./kernels.js";
import type { StoredVectors } from "./load-vectors.js";

const FULL = SEARCH_DEFAULTS.dimensions;
/** Vectors scored per call of the kernel; a multiple of 4. */
const BATCH = 1024;
const QUERY = 0;
const SCORES = QUERY + FULL * 2;
const PLACES = SCORES + BATCH * 8;
const VECTORS = PLACES + BATCH * 4;
/** Vectors in memory scored per turn of the event loop. */
const KEPT_RUN = 16_384;

const INT16 = 32_767;
/** Largest length of a whole query: times the length of 1536 signed bytes it stays below 2³¹. */
const LONGEST = Math.floor(2 ** 31 / (127 * Math.sqrt(FULL))) - 64;

/** A query as 16-bit integers; times `unit` they are the query, to a part in 30,000 of its largest number. */
export interface WholeQuery {
  readonly values: Int16Array;
  readonly unit: number;
}

/** Scales a query to 16-bit integers whose sums with signed bytes stay within 32 bits. */
export function wholeQuery(query: Float32Array): WholeQuery {
  let largest = 0;
  let squares = 0;
  for (let i = 0; i < query.length; i += 1) {
    largest = Math.max(largest, Math.abs(query[i]!));
    squares += query[i]! * query[i]!;
  }
  const factor = largest === 0 ? 1 : Math.min(INT16 / largest, LONGEST / Math.sqrt(squares));
  const values = new Int16Array(query.length);
  for (let i = 0; i < values.length; i += 1) values[i] = Math.round(query[i]! * factor);
  return { values, unit: 1 / factor };
}

/**
 * Exact scores of vectors of signed bytes: sums of whole numbers, times the vector's scale. The query counts as the whole
 * numbers of {@link wholeQuery}. A set that fits is kept in memory; of another, vectors are read from the file.
 */
export class ByteScores implements ExactScores, StoredVectors {
  readonly run: number;

  private constructor(
    private readonly vectors: ByteVectorFile,
    private readonly kernels: Kernels,
    /** Whether all vectors are in the kernels' memory. */
    private readonly kept: boolean,
  ) {
    this.run = kept ? KEPT_RUN : BATCH;
  }

  /** Makes room for the vectors; where they are to be kept, {@link ByteScores.put} has to get them before the first score. */
  static async create(vectors: ByteVectorFile, keep: boolean): Promise<ByteScores> {
    const room = keep ? vectors.count : Math.min(vectors.count, BATCH);
    const kernels = await Kernels.create(VECTORS + room * BYTE_VECTOR);
    return new ByteScores(vectors, kernels, keep);
  }

  put(stored: Uint8Array, first: number): void {
    this.kernels.bytes.set(stored, VECTORS + first * BYTE_VECTOR);
  }

  async readAhead(): Promise<void> {}

  score(query: Float32Array, rows: Uint32Array, offer: (row: number, score: number) => void): void {
    const { kernels, kept, vectors } = this;
    const { values, unit } = wholeQuery(query);
    kernels.shorts(QUERY, FULL).set(values);
    const places = kernels.integers(PLACES, BATCH);
    const scores = kernels.doubles(SCORES, BATCH);
    for (let first = 0; first < rows.length; first += BATCH) {
      const count = Math.min(BATCH, rows.length - first);
      const padded = Math.ceil(count / 4) * 4;
      for (let i = 0; i < padded; i += 1) {
        const row = rows[first + Math.min(i, count - 1)]!;
        if (!kept && i < count) vectors.readBytes(row, 1, kernels.bytes, VECTORS + i * BYTE_VECTOR);
        places[i] = kept ? row : Math.min(i, count - 1);
      }
      kernels.scoreBytes({ bytes: VECTORS, stride: BYTE_VECTOR, dims: FULL }, PLACES, padded, QUERY, SCORES);
      for (let i = 0; i < count; i += 1) offer(rows[first + i]!, scores[i]! * unit);
    }
  }
}
