import { open } from "node:fs/promises";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { Turns } from "../turns.js";
import { Best } from "./best.js";
import { Kernels } from "./kernels.js";
import { quantizeQuery } from "./quantize.js";

const CHUNK = SEARCH_DEFAULTS.vector.scanChunk;

/** The 8-bit codes of a set in WebAssembly memory, scanned in runs or by row. */
export class CodeScan {
  private constructor(
    private readonly kernels: Kernels,
    private readonly count: number,
    private readonly dims: number,
    private readonly scales: Float32Array,
    private readonly codes: number,
  ) {}

  /** Reads `count` codes of `dims` bytes. Throws `RangeError` where the file is shorter. */
  static async load(path: string, count: number, dims: number, scales: Float32Array): Promise<CodeScan> {
    const codes = align(dims * 2) + 2 * CHUNK * 4;
    const kernels = await Kernels.create(codes + count * dims);
    const file = await open(path, "r");
    try {
      const size = count * dims;
      for (let done = 0; done < size; ) {
        const { bytesRead } = await file.read(kernels.bytes, codes + done, size - done, done);
        if (bytesRead === 0) throw new RangeError(`${path} is shorter than ${size} bytes`);
        done += bytesRead;
      }
    } finally {
      await file.close();
    }
    return new CodeScan(kernels, count, dims, scales, codes);
  }

  /** The rows whose codes are nearest to the query, at most `limit`, in no promised order; among `rows` where given. */
  async nearest(
    reduced: Float64Array,
    limit: number,
    turns: Turns,
    rows?: Uint32Array,
    signal?: AbortSignal,
  ): Promise<Int32Array> {
    const { kernels, dims } = this;
    const total = rows?.length ?? this.count;
    const rowsAt = align(dims * 2);
    const scoresAt = rowsAt + CHUNK * 4;
    const best = new Best(Math.min(limit, total));
    for (let first = 0; first < total; first += CHUNK) {
      if (first > 0) await turns.next();
      signal?.throwIfAborted();
      // Another search may have used the memory while this one waited.
      quantizeQuery(reduced, this.scales, kernels.shorts(0, dims));
      const length = Math.min(CHUNK, total - first);
      if (rows === undefined) kernels.scanRun(this.codes + first * dims, length, dims, 0, scoresAt);
      else {
        kernels.integers(rowsAt, length).set(rows.subarray(first, first + length));
        kernels.scanRows(this.codes, rowsAt, length, dims, 0, scoresAt);
      }
      offerAll(best, kernels.integers(scoresAt, length), first, rows);
    }
    return best.rows();
  }
}

function offerAll(best: Best, scores: Int32Array, first: number, rows: Uint32Array | undefined): void {
  let { floor } = best;
  for (let i = 0; i < scores.length; i += 1) {
    if (scores[i]! < floor) continue;
    best.offer(rows === undefined ? first + i : rows[first + i]!, scores[i]!);
    floor = best.floor;
  }
}

function align(address: number): number {
  return Math.ceil(address / 16) * 16;
}
