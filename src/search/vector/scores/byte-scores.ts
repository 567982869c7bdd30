import { SEARCH_DEFAULTS } from "../../defaults.js";
import { byteVectorOf } from "../byte-vectors.js";
import type { SharedBytes } from "../help-loading.js";
import { KeptRows } from "../kept-rows.js";
import { Kernels } from "../kernels.js";
import type { StoredVectors } from "../load-vectors.js";
import type { ByteVectors } from "../vectors.js";
import type { ExactScores } from "./exact-scores.js";
import { KeptBytes } from "./kept-bytes.js";

const FULL = SEARCH_DEFAULTS.dimensions;
/** Vectors scored per call of the kernel; a multiple of 4. */
const BATCH = 1024;
const QUERY = 0;
/** Where scores stand, or the numbers of a vector. */
const SCORES = QUERY + FULL * 2;
const PLACES = SCORES + BATCH * 8;
const VECTORS = PLACES + BATCH * 4;
/** Rows between two that are read which are read with them: copying so many takes less than another call of the system. */
const GAP = 6;
/** Room for such rows. */
const SPARE = BATCH;
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
 * numbers of {@link wholeQuery}. Vectors that have room are kept in memory ({@link KeptRows}); others are read from the file.
 */
export class ByteScores implements ExactScores, StoredVectors {
  readonly run: number;
  /** Bytes of a vector. */
  private readonly stride: number;
  private readonly keptBytes: KeptBytes;

  private constructor(
    private readonly vectors: ByteVectors,
    private readonly kernels: Kernels,
    /** The rows whose vectors are in the kernels' memory, before room for those that are read. */
    private readonly rows: KeptRows,
    /** Where another thread can put vectors that are kept; undefined where none are, or where threads share no memory. */
    readonly shared: SharedBytes | undefined,
  ) {
    this.run = rows.all ? KEPT_RUN : BATCH;
    this.stride = byteVectorOf(vectors.width);
    this.keptBytes = new KeptBytes(kernels.bytes, VECTORS, rows);
  }

  /**
   * Makes room for the vectors of so many rows, which {@link ByteScores.put} has to get before the first score.
   * @param kept at most all
   * @param isShared whether they stand in memory that threads share
   */
  static async create(vectors: ByteVectors, kept: number, isShared = false): Promise<ByteScores> {
    const rows = new KeptRows(vectors.count, kept);
    const room = rows.all ? kept : kept + Math.min(vectors.count, BATCH) + SPARE;
    const size = VECTORS + room * byteVectorOf(vectors.width);
    const kernels = isShared ? await Kernels.share(size) : Kernels.create(size);
    const shared = isShared && kept > 0 ? { memory: kernels.memory, at: VECTORS, kept } : undefined;
    return new ByteScores(vectors, kernels, rows, shared);
  }

  put(stored: Uint8Array, first: number, width: number): void {
    this.keptBytes.put(stored, first, width);
  }

  /** The vector of a row, 1536 numbers, if it is in memory. Only once all have been {@link ByteScores.put}. */
  vector(row: number): Float32Array | undefined {
    const place = this.rows.place(row);
    if (place === undefined) return undefined;
    const { width } = this.vectors;
    this.kernels.readBytes(VECTORS + place * this.stride, width, SCORES);
    const vector = new Float32Array(FULL);
    vector.set(this.kernels.floats(SCORES, width));
    return vector;
  }

  async readAhead(): Promise<void> {}

  score(
    query: Float32Array | WholeQuery,
    rows: Uint32Array,
    offer: (row: number, score: number) => void,
    keep = false,
  ): void {
    const { kernels, stride } = this;
    const { width: dims } = this.vectors;
    const { values, unit } = query instanceof Float32Array ? wholeQuery(query) : query;
    kernels.shorts(QUERY, FULL).set(values);
    const places = kernels.integers(PLACES, BATCH);
    const scores = kernels.doubles(SCORES, BATCH);
    for (let first = 0; first < rows.length; first += BATCH) {
      const count = Math.min(BATCH, rows.length - first);
      this.gather(rows.subarray(first, first + count), places);
      const padded = Math.ceil(count / 4) * 4;
      places.fill(places[count - 1]!, count, padded);
      kernels.scoreBytes({ bytes: VECTORS, stride, dims }, PLACES, padded, QUERY, SCORES);
      for (let i = 0; i < count; i += 1) offer(rows[first + i]!, scores[i]! * unit);
      if (keep && !this.rows.all) this.keepRead(rows.subarray(first, first + count), places);
    }
  }

  /** Keeps the vectors of rows that were read. */
  private keepRead(rows: Uint32Array, places: Int32Array): void {
    const { stride } = this;
    const { bytes } = this.kernels;
    for (let i = 0; i < rows.length; i += 1) {
      if (places[i]! < this.rows.kept) continue;
      const place = this.rows.keep(rows[i]!);
      if (place === undefined) return;
      const from = VECTORS + places[i]! * stride;
      bytes.copyWithin(VECTORS + place * stride, from, from + stride);
    }
  }

  /** Finds the places of some rows' vectors in memory, and reads those that are not there; ascending rows in fewer reads. */
  private gather(rows: Uint32Array, places: Int32Array): void {
    if (this.rows.all) {
      places.set(rows);
      return;
    }
    const { kernels, vectors, stride } = this;
    let next = this.rows.kept;
    let spare = SPARE;
    const readRows = (from: number, to: number) => {
      vectors.readBytes(from, to - from + 1, kernels.bytes, VECTORS + next * stride);
      next += to - from + 1;
    };
    let first: number | undefined;
    let last = 0;
    for (let i = 0; i < rows.length; i += 1) {
      const row = rows[i]!;
      const kept = this.rows.place(row);
      if (kept !== undefined) {
        places[i] = kept;
        continue;
      }
      const between = row - last - 1;
      if (first !== undefined && between >= 0 && between <= Math.min(GAP, spare)) spare -= between;
      else {
        if (first !== undefined) readRows(first, last);
        first = row;
      }
      last = row;
      places[i] = next + row - first;
    }
    if (first !== undefined) readRows(first, last);
  }
}
