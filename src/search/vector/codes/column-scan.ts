import { BYTE_VECTOR } from "../byte-vectors.js";
import { Kernels } from "../kernels.js";
import type { StoredVectors } from "../load-vectors.js";
import { likelyFloor, topKAmong, topKPlaces } from "../top-k-places.js";
import { BLOCK_ROWS, CODED_ROWS, COLUMN_BYTES, columnTables, placeOf } from "./column-codes.js";
import { CELLS, cellCodes, cellFactors, type Quantizer } from "./quantizer.js";

/**
 * The 4-bit codes of a set in WebAssembly memory, column by column. A query sums the columns that matter to it over all rows, by
 * table look-ups with shuffles, as in product quantization with 4-bit codes (André, Kermarrec, Le Scouarnec, PVLDB 2015). The codes
 * are made of the vectors' signed bytes when a set is opened, which takes a fraction of a second where a file of them would take a third of what the vectors take.
 */
export class ColumnScan implements StoredVectors {
  private constructor(
    private readonly kernels: Kernels,
    private readonly count: number,
    private readonly dims: number,
    private readonly quantizer: Quantizer,
    private readonly at: {
      readonly tables: number;
      readonly factors: number;
      readonly cells: number;
      readonly vectors: number;
      readonly sums: number;
      readonly places: number;
      readonly codes: number;
    },
  ) {}

  /**
   * Makes room for the codes of `count` rows over the dimensions of these statistics, by a quantizer.
   * @throws RangeError if that much memory is not available.
   */
  static async create(
    count: number,
    statistics: { readonly mean: Float32Array; readonly deviation: Float32Array },
    quantizer: Quantizer,
  ): Promise<ColumnScan> {
    const dims = statistics.mean.length;
    const rows = paddedRows(count);
    const tables = dims * Uint32Array.BYTES_PER_ELEMENT;
    const factors = tables + dims * 16;
    const cells = factors + dims * 2 * Float32Array.BYTES_PER_ELEMENT;
    const vectors = cells + CELLS;
    const sums = vectors + CODED_ROWS * BYTE_VECTOR;
    const places = sums + rows * Uint16Array.BYTES_PER_ELEMENT;
    const codes = places + rows * Uint32Array.BYTES_PER_ELEMENT;
    const kernels = await Kernels.create(codes + columnCodesBytes(count, dims));
    kernels.floats(factors, dims * 2).set(cellFactors(statistics, quantizer));
    kernels.bytes.set(cellCodes(quantizer), cells);
    return new ColumnScan(kernels, count, dims, quantizer, {
      tables,
      factors,
      cells,
      vectors,
      sums,
      places,
      codes,
    });
  }

  /** Codes the vectors from `first`, a multiple of 32, on. */
  put(stored: Uint8Array, first: number): void {
    const { kernels, dims, at } = this;
    const scratch = kernels.bytes.subarray(at.vectors, at.vectors + CODED_ROWS * BYTE_VECTOR);
    for (let done = 0; done < stored.length; done += scratch.length) {
      const group = stored.subarray(done, done + scratch.length);
      if (group.length < scratch.length) scratch.fill(0);
      scratch.set(group);
      const row = first + done / BYTE_VECTOR;
      const place = placeOf(row % BLOCK_ROWS);
      const codes = at.codes + Math.floor(row / BLOCK_ROWS) * dims * COLUMN_BYTES + place.at;
      kernels.codeRows(
        at.vectors,
        { dims, factors: at.factors, cells: at.cells },
        codes,
        COLUMN_BYTES,
        place.shift,
      );
    }
  }

  /**
   * Returns the rows of largest sums, `limit` or a few more, ascending; restricted to `rows` (ascending) if
   * given. Synchronous: some milliseconds for the largest set.
   * @param weights the query times the deviation of each dimension
   * @param breadth number of columns summed
   */
  nearest(weights: Float64Array, breadth: number, limit: number, rows?: Uint32Array): Uint32Array {
    const sums = this.sums(weights, breadth);
    if (rows === undefined) return this.topKPlaces(sums, limit);
    const among = new Uint16Array(rows.length);
    for (let i = 0; i < rows.length; i += 1) among[i] = sums[rows[i]!]!;
    return topKPlaces(among, limit).map((place) => rows[place]!);
  }

  /** Returns each row's sum over the columns in which a query weighs most; valid until the next call. */
  sums(weights: Float64Array, breadth: number): Uint16Array {
    const { kernels, count, dims, at } = this;
    const { columns, tables } = columnTables(weights, Math.min(dims, breadth), this.quantizer);
    kernels.integers(0, columns.length).set(columns.map((column) => column * COLUMN_BYTES));
    kernels.bytes.set(tables, at.tables);
    kernels.sumColumns(
      { codes: at.codes, blocks: paddedRows(count) / BLOCK_ROWS, columnBytes: COLUMN_BYTES, dims },
      { offsets: 0, pairs: columns.length / 2, tables: at.tables },
      at.sums,
    );
    return kernels.sums(at.sums, count);
  }

  private topKPlaces(sums: Uint16Array, limit: number): Uint32Array {
    const { kernels, count, at } = this;
    const floor = count > limit ? likelyFloor(sums, limit) : undefined;
    if (floor !== undefined && floor > 0) {
      const padded = paddedRows(count);
      // Padding rows of the last block must not be found.
      kernels.sums(at.sums + sums.byteLength, padded - count).fill(0);
      const found = kernels.sumsFrom(at.sums, padded, floor, at.places);
      if (found >= limit) return topKAmong(sums, kernels.integers(at.places, found), limit);
    }
    return topKPlaces(sums, limit);
  }
}

/** Size of the codes of so many rows. */
function columnCodesBytes(count: number, dims: number): number {
  return (paddedRows(count) / 2) * dims;
}

function paddedRows(count: number): number {
  return Math.ceil(count / BLOCK_ROWS) * BLOCK_ROWS;
}
