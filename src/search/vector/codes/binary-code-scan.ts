import { Kernels } from "../kernels.js";
import { likelyFloor, topKPlaces } from "../top-k-places.js";
import {
  BINARY_CODE_ROWS,
  type BinaryCodeShape,
  binaryCodeTables,
  blockBytes,
  groupsOf,
} from "./binary-code.js";
import { loadCodes } from "./load-codes.js";

const SUMS = 4096;

/**
 * The binary codes of a set in WebAssembly memory. Every query scans all of them with table lookups by
 * shuffles, as in product quantization with 4-bit codes (André, Kermarrec, Le Scouarnec, PVLDB 2015).
 */
export class BinaryCodeScan {
  private readonly places: number;
  private readonly codes: number;

  private constructor(
    private readonly kernels: Kernels,
    private readonly count: number,
    private readonly shape: BinaryCodeShape,
    { places, codes }: { readonly places: number; readonly codes: number },
  ) {
    this.places = places;
    this.codes = codes;
  }

  /**
   * Reads the binary codes of `count` rows.
   * @throws RangeError if the file is too short.
   */
  static async load(path: string, count: number, shape: BinaryCodeShape): Promise<BinaryCodeScan> {
    const blocks = Math.ceil(count / BINARY_CODE_ROWS);
    const places = SUMS + blocks * BINARY_CODE_ROWS * Uint16Array.BYTES_PER_ELEMENT;
    const codes = places + blocks * BINARY_CODE_ROWS * Uint32Array.BYTES_PER_ELEMENT;
    const bytes = blocks * blockBytes(shape);
    const kernels = await Kernels.create(codes + bytes);
    await loadCodes(path, kernels.bytes.subarray(codes, codes + bytes));
    return new BinaryCodeScan(kernels, count, shape, { places, codes });
  }

  /**
   * Returns the rows of largest sums, `limit` or a few more, ascending; restricted to `rows` (ascending) if
   * given. Synchronous: some milliseconds for the largest set.
   * @param weights the query times the deviation of each dimension
   */
  nearest(weights: Float64Array, limit: number, rows?: Uint32Array): Uint32Array {
    const { kernels, count, shape } = this;
    const groups = groupsOf(shape);
    binaryCodeTables(weights, shape, kernels.bytes.subarray(0, groups * 16));
    const blocks = Math.ceil(count / BINARY_CODE_ROWS);
    kernels.sumTables(this.codes, blocks, groups, 0, SUMS);
    const sums = kernels.sums(SUMS, count);
    if (rows === undefined) return this.topKPlaces(sums, limit, blocks * BINARY_CODE_ROWS);
    const among = new Uint16Array(rows.length);
    for (let i = 0; i < rows.length; i += 1) among[i] = sums[rows[i]!]!;
    return topKPlaces(among, limit).map((place) => rows[place]!);
  }

  private topKPlaces(sums: Uint16Array, limit: number, padded: number): Uint32Array {
    const { kernels, count, places } = this;
    const floor = count > limit ? likelyFloor(sums, limit) : undefined;
    if (floor !== undefined && floor > 0) {
      // Padding rows of the last block must not be found.
      kernels.sums(SUMS + sums.byteLength, padded - count).fill(0);
      const found = kernels.sumsFrom(SUMS, padded, floor, places);
      if (found >= limit) return Uint32Array.from(kernels.integers(places, found));
    }
    return topKPlaces(sums, limit);
  }
}
