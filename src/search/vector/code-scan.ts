import { setImmediate as turn } from "node:timers/promises";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { Turns } from "../turns.js";
import { readBytes, withFile } from "./float-file.js";
import { Kernels } from "./kernels.js";
import { largest } from "./largest.js";
import { quantizeQuery } from "./quantize.js";

const CHUNK = SEARCH_DEFAULTS.vector.scanChunk;
const READ_ROWS = 4096;

/** The 8-bit codes of a set in WebAssembly memory, scanned in runs or by row. */
export class CodeScan {
  private constructor(
    private readonly kernels: Kernels,
    private readonly count: number,
    private readonly dims: number,
    private readonly scales: Float32Array,
    private readonly codes: number,
  ) {}

  /**
   * Reads `count` codes of `dims` bytes, or of each the first `prefix` ones (a multiple of 16). Throws `RangeError` where the
   * file is shorter.
   */
  static async load(
    path: string,
    { count, dims, prefix = dims }: { count: number; dims: number; prefix?: number },
    scales: Float32Array,
  ): Promise<CodeScan> {
    const codes = align(prefix * 2) + 2 * CHUNK * 4;
    const kernels = await Kernels.create(codes + count * prefix);
    const block = new Uint8Array(READ_ROWS * dims);
    await withFile(path, "r", async (descriptor) => {
      for (let first = 0; first < count; first += READ_ROWS) {
        const rows = Math.min(READ_ROWS, count - first);
        readBytes(descriptor, first * dims, block.subarray(0, rows * dims));
        const at = codes + first * prefix;
        if (prefix === dims) kernels.bytes.set(block.subarray(0, rows * dims), at);
        else
          for (let row = 0; row < rows; row += 1)
            kernels.bytes.set(block.subarray(row * dims, row * dims + prefix), at + row * prefix);
        await turn();
      }
    });
    return new CodeScan(kernels, count, prefix, scales.subarray(0, prefix), codes);
  }

  /**
   * The rows whose codes are nearest to the query, `limit` or a few more, ascending; among `rows` (ascending) where given.
   * Which rows these are depends on the scores alone.
   */
  async nearest(
    reduced: Float64Array,
    limit: number,
    turns: Turns,
    rows?: Uint32Array,
    signal?: AbortSignal,
  ): Promise<Uint32Array> {
    const { kernels, dims } = this;
    const total = rows?.length ?? this.count;
    const rowsAt = align(dims * 2);
    const scoresAt = rowsAt + CHUNK * 4;
    const scores = new Int32Array(total);
    for (let first = 0; first < total; first += CHUNK) {
      if (first > 0) await turns.next();
      signal?.throwIfAborted();
      // Another search may have used the memory while this one waited.
      quantizeQuery(reduced.subarray(0, dims), this.scales, kernels.shorts(0, dims));
      const length = Math.min(CHUNK, total - first);
      if (rows === undefined) kernels.scanRun(this.codes + first * dims, length, dims, 0, scoresAt);
      else {
        kernels.integers(rowsAt, length).set(rows.subarray(first, first + length));
        kernels.scanRows(this.codes, rowsAt, length, dims, 0, scoresAt);
      }
      scores.set(kernels.integers(scoresAt, length), first);
    }
    const places = largest(scores, limit);
    return rows === undefined ? places : places.map((place) => rows[place]!);
  }
}

function align(address: number): number {
  return Math.ceil(address / 16) * 16;
}
