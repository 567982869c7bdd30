import { SEARCH_DEFAULTS } from "../defaults.js";
import type { Turns } from "../turns.js";
import { Kernels } from "./kernels.js";
import { largest } from "./largest.js";
import { loadCodes } from "./load-codes.js";
import { blockBytes, groupsOf, SKETCH_ROWS, type SketchShape, sketchTables } from "./sketch.js";

const CHUNK = SEARCH_DEFAULTS.vector.scanChunk;
const SUMS = 4096;
const CODES = SUMS + CHUNK * Uint16Array.BYTES_PER_ELEMENT;

/**
 * The sketches of a set in WebAssembly memory, all of them looked at for every query, a sum of table entries each: product
 * quantization with 4-bit codes, by shuffles (André, Kermarrec, Le Scouarnec, PVLDB 2015).
 */
export class SketchScan {
  private constructor(
    private readonly kernels: Kernels,
    private readonly count: number,
    private readonly shape: SketchShape,
  ) {}

  /** Reads the sketches of `count` rows. Throws `RangeError` where the file is shorter. */
  static async load(path: string, count: number, shape: SketchShape): Promise<SketchScan> {
    const bytes = Math.ceil(count / SKETCH_ROWS) * blockBytes(shape);
    const kernels = await Kernels.create(CODES + bytes);
    await loadCodes(path, kernels.bytes.subarray(CODES, CODES + bytes));
    return new SketchScan(kernels, count, shape);
  }

  /**
   * The rows of largest sums, `limit` or a few more, ascending; among `rows` (ascending) where given.
   *
   * @param weights the query times the deviation of each dimension
   */
  async nearest(
    weights: Float64Array,
    limit: number,
    turns: Turns,
    rows?: Uint32Array,
    signal?: AbortSignal,
  ): Promise<Uint32Array> {
    const sums = await this.#sums(weights, turns, signal);
    if (rows === undefined) return largest(sums, limit);
    const among = new Uint16Array(rows.length);
    for (let i = 0; i < rows.length; i += 1) among[i] = sums[rows[i]!]!;
    return largest(among, limit).map((place) => rows[place]!);
  }

  async #sums(weights: Float64Array, turns: Turns, signal?: AbortSignal): Promise<Uint16Array> {
    const { kernels, count, shape } = this;
    const groups = groupsOf(shape);
    const tables = new Uint8Array(groups * 16);
    sketchTables(weights, shape, tables);
    const sums = new Uint16Array(count);
    for (let first = 0; first < count; first += CHUNK) {
      if (first > 0) await turns.next();
      signal?.throwIfAborted();
      const rows = Math.min(CHUNK, count - first);
      // Another search may have used the memory while this one waited.
      kernels.bytes.set(tables);
      const blocks = Math.ceil(rows / SKETCH_ROWS);
      kernels.sumTables(CODES + (first / SKETCH_ROWS) * blockBytes(shape), blocks, groups, 0, SUMS);
      sums.set(kernels.sums(SUMS, rows), first);
    }
    return sums;
  }
}
