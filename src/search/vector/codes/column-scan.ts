import { type AmongRows, countOf, listOf, type RowBits } from "../among-rows.js";
import type { SharedCoding } from "../help-loading.js";
import { Kernels } from "../kernels.js";
import { SHARED_CLAIMS_BYTES } from "../load-claims.js";
import type { StoredVectors } from "../load-vectors.js";
import { likelyFloor, likelyFloorAmong, topKAmong, topKPlaces } from "../scores/top-k-places.js";
import { CODER_BYTES, type CoderPlaces, ColumnCoder } from "./column-coder.js";
import { CODED_ROWS, columnTables, planeBytesOf, roomFor, type ScanWidth } from "./column-codes.js";
import { CELLS, cellCodes, cellFactors, type Quantizer } from "./quantizer.js";
import type { ScanMate } from "./scan-mate.js";
import { CLAIM_BYTES, SharedSums, sumTile, tilesOf } from "./shared-sums.js";

/** Planes begin with a page of memory. */
const PAGE = 4096;
/**
 * The 4-bit codes of a set in WebAssembly memory, column by column, in planes of two bits. A query sums over all rows the dimensions
 * that matter to it, the heaviest by both planes and others by the upper one, by table look-ups with shuffles, as in product
 * quantization with 4-bit codes (André, Kermarrec, Le Scouarnec, PVLDB 2015). The codes are made of the vectors' signed bytes when a set is
 * opened, about a microsecond a row and shared by two threads, where a file of them would take half of what the vectors take.
 */
export class ColumnScan implements StoredVectors {
  private constructor(
    private readonly kernels: Kernels,
    private readonly count: number,
    private readonly dims: number,
    private readonly quantizer: Quantizer,
    /** Rows of the set, and what fills them up. */
    private readonly padded: number,
    private readonly at: {
      readonly tables: number;
      readonly sums: number;
      readonly places: number;
      readonly codes: number;
    },
    private readonly coder: ColumnCoder,
    /** Sums by two threads. */
    private readonly shared: { readonly sums: SharedSums; readonly call: () => void } | undefined,
    /** Where another thread can make codes, too, if there is one. */
    readonly coding: SharedCoding | undefined,
  ) {}

  /**
   * Makes room for the codes of `count` rows over the dimensions of these statistics, by a quantizer.
   * @param mate a thread that helps to make codes and to sum
   * @throws RangeError if that much memory is not available.
   */
  static async create(
    count: number,
    statistics: { readonly mean: Float32Array; readonly deviation: Float32Array },
    quantizer: Quantizer,
    mate?: ScanMate,
  ): Promise<ColumnScan> {
    const dims = statistics.mean.length;
    const padded = Math.ceil(count / CODED_ROWS) * CODED_ROWS;
    const planeBytes = planeBytesOf(count);
    // Units of two planes each, of which a dimension has two.
    const units = roomFor(dims);
    const tables = units * 2 * Uint32Array.BYTES_PER_ELEMENT;
    const factors = tables + units * 16;
    const added = factors + dims * Float32Array.BYTES_PER_ELEMENT;
    const cells = added + dims * Float32Array.BYTES_PER_ELEMENT;
    const desk = cells + CELLS;
    const matesDesk = desk + CODER_BYTES;
    const claims = matesDesk + (mate === undefined ? 0 : CODER_BYTES);
    const loadClaims = claims + CLAIM_BYTES;
    const sums = loadClaims + SHARED_CLAIMS_BYTES;
    const places = sums + padded * Uint16Array.BYTES_PER_ELEMENT;
    const codes = Math.ceil((places + padded * Uint32Array.BYTES_PER_ELEMENT) / PAGE) * PAGE;
    const size = codes + planeBytes * 2 * dims;
    const kernels = mate === undefined ? Kernels.create(size) : await Kernels.share(size);
    const made = cellFactors(statistics, quantizer);
    kernels.floats(factors, dims).set(made.factors);
    kernels.floats(added, dims).set(made.added);
    kernels.bytes.set(cellCodes(quantizer), cells);
    const at = { tables, sums, places, codes };
    const parts = { claims, tables, planes: codes, sums, rows: padded };
    const shared = mate && {
      sums: new SharedSums(kernels, parts),
      call: mate.join(kernels.memory, parts),
    };
    const coding: CoderPlaces = { count, dims, factors, added, cells, desk, codes };
    const coder = new ColumnCoder(kernels, coding);
    const matesCoding = mate && {
      memory: kernels.memory,
      places: { ...coding, desk: matesDesk },
      claims: loadClaims,
    };
    return new ColumnScan(kernels, count, dims, quantizer, padded, at, coder, shared, matesCoding);
  }

  get room(): Uint8Array {
    return this.coder.room;
  }

  /** Codes the vectors from `first`, a multiple of 64, on. */
  put(stored: Uint8Array, first: number, width: number): void {
    this.coder.put(stored, first, width);
  }

  /**
   * Returns the rows of largest sums, `limit` or a few more, ascending; restricted to `rows` if given. Synchronous: some milliseconds for the largest set.
   * @param weights the query times the deviation of each dimension
   * @param width what is summed
   */
  nearest(weights: Float64Array, width: ScanWidth, limit: number, rows?: AmongRows): Uint32Array {
    const sums = this.sums(weights, width);
    if (rows === undefined) return this.topKPlaces(sums, limit);
    const found = rows instanceof Uint32Array ? undefined : this.topKOfBits(sums, limit, rows);
    if (found !== undefined) return found;
    const listed = listOf(rows);
    const among = new Uint16Array(listed.length);
    for (let i = 0; i < listed.length; i += 1) among[i] = sums[listed[i]!]!;
    return topKPlaces(among, limit).map((place) => listed[place]!);
  }

  /**
   * Returns the rows of largest sums, largest first and in the order of rows among equals, `limit` of them; restricted to `rows` if
   * given. Synchronous, as {@link ColumnScan.nearest}.
   */
  ranked(weights: Float64Array, width: ScanWidth, limit: number, rows?: AmongRows): Uint32Array {
    const found = this.nearest(weights, width, limit, rows);
    const sums = this.kernels.sums(this.at.sums, this.count);
    const own = new Uint16Array(found.length);
    for (let i = 0; i < found.length; i += 1) own[i] = sums[found[i]!]!;
    return largestFirst(found, own).subarray(0, limit);
  }

  /** Returns each row's sum over the dimensions in which a query weighs most; valid until the next call. */
  sums(weights: Float64Array, { breadth, fine }: ScanWidth): Uint16Array {
    const { kernels, count, dims, at, planeBytes } = this;
    const width = { breadth: Math.min(dims, breadth), fine: Math.min(dims, fine) };
    const { planes, tables } = columnTables(weights, width, this.quantizer);
    const offsets = kernels.integers(0, planes.length);
    for (let i = 0; i < planes.length; i += 1) offsets[i] = planes[i]! * planeBytes;
    kernels.bytes.set(tables, at.tables);
    const units = planes.length / 2;
    const { shared } = this;
    if (shared !== undefined) shared.sums.sum(units, shared.call);
    else {
      const places = { tables: at.tables, planes: at.codes, sums: at.sums, rows: this.padded };
      for (let tile = 0; tile < tilesOf(this.padded); tile += 1) sumTile(kernels, places, units, tile);
    }
    return kernels.sums(at.sums, count);
  }

  private get planeBytes(): number {
    return planeBytesOf(this.count);
  }

  private topKPlaces(sums: Uint16Array, limit: number): Uint32Array {
    const { count } = this;
    const floor = count > limit ? likelyFloor(sums, limit) : undefined;
    if (floor !== undefined && floor > 0) {
      const found = this.placesFrom(sums, floor);
      if (found.length >= limit) return topKAmong(sums, found, limit);
    }
    return topKPlaces(sums, limit);
  }

  /** The same among many rows, without a list of them; undefined where the sums of a sample do not tell which are likely enough. */
  private topKOfBits(sums: Uint16Array, limit: number, rows: RowBits): Uint32Array | undefined {
    if (countOf(rows) <= limit) return undefined;
    const floor = likelyFloorAmong(sums, limit, rows);
    if (floor <= 0) return undefined;
    const found = this.placesFrom(sums, floor);
    const { bits } = rows;
    let passing = 0;
    for (let i = 0; i < found.length; i += 1) {
      const row = found[i]!;
      if (((bits[row >>> 5]! >>> (row & 31)) & 1) === 1) found[passing++] = row;
    }
    return passing < limit ? undefined : topKAmong(sums, found.subarray(0, passing), limit);
  }

  /** The rows whose sums reach a floor above 0, ascending; valid until the next call. */
  private placesFrom(sums: Uint16Array, floor: number): Int32Array {
    const { kernels, count, at } = this;
    const { padded } = this;
    // Padding rows of the last block must not be found.
    kernels.sums(at.sums + sums.byteLength, padded - count).fill(0);
    return kernels.integers(at.places, kernels.sumsFrom(at.sums, padded, floor, at.places));
  }
}

/** Sorts rows by their sums, of 16 bits, largest first; equal ones keep their order. By counting. */
function largestFirst(rows: Uint32Array, sums: Uint16Array): Uint32Array {
  let least = 2 ** 16;
  let most = 0;
  for (const sum of sums) {
    least = Math.min(least, sum);
    most = Math.max(most, sum);
  }
  const starts = new Uint32Array(Math.max(0, most - least) + 2);
  for (const sum of sums) starts[most - sum + 1]! += 1;
  for (let i = 1; i < starts.length; i += 1) starts[i]! += starts[i - 1]!;
  const sorted = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) sorted[starts[most - sums[i]!]!++] = rows[i]!;
  return sorted;
}
