import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { EventLoopQueue } from "../../event-loop-queue.js";
import { Kernels } from "../kernels.js";
import { topKPlaces } from "../top-k-places.js";
import { loadCodes, requireBytes } from "./load-codes.js";

/** Rows per call of the kernel; a search yields to the event loop every few calls. */
const CHUNK = 8192;
const RUN = SEARCH_DEFAULTS.vector.codeRun;
const ROWS = SEARCH_DEFAULTS.dimensions * Int16Array.BYTES_PER_ELEMENT;
const SCORES = ROWS + CHUNK * 4;
const CODES = SCORES + CHUNK * 4;
const INT16 = 32_767;

/** The 4-bit codes of a set's vectors, all dimensions, in WebAssembly memory, scored by row. */
export class CodeScan {
  private constructor(
    private readonly kernels: Kernels,
    private readonly count: number,
    private readonly dims: number,
  ) {}

  /**
   * Starts to read `count` codes of `dims` dimensions (a multiple of 32): tens of megabytes that are needed
   * only by the first search.
   * @throws RangeError if the file is too short.
   */
  static async load(
    path: string,
    count: number,
    dims: number,
  ): Promise<{ readonly codes: Promise<CodeScan> }> {
    const bytes = (count * dims) / 2;
    await requireBytes(path, bytes);
    const codes = CodeScan.read(path, bytes, dims);
    // A failed load rejects the first search, not the process.
    codes.catch(() => undefined);
    return { codes };
  }

  private static async read(path: string, bytes: number, dims: number): Promise<CodeScan> {
    const kernels = await Kernels.create(CODES + bytes);
    await loadCodes(path, kernels.bytes.subarray(CODES, CODES + bytes));
    return new CodeScan(kernels, (bytes * 2) / dims, dims);
  }

  /**
   * Returns the rows with the highest scores of their codes, `limit` or a few more, ascending; restricted to
   * `rows` (ascending) if given. The result depends on the scores alone.
   * @param weights the query times the deviation of each dimension
   */
  async nearest(
    weights: Float64Array,
    limit: number,
    queue: EventLoopQueue,
    rows?: Uint32Array,
    signal?: AbortSignal,
  ): Promise<Uint32Array> {
    const { kernels, dims } = this;
    const total = rows?.length ?? this.count;
    const query = integers(weights);
    const scores = new Int32Array(total);
    for (let first = 0; first < total; first += CHUNK) {
      if (first > 0 && first % RUN === 0) await queue.next();
      signal?.throwIfAborted();
      const length = Math.min(CHUNK, total - first);
      // Another search may have used the memory between two chunks.
      kernels.shorts(0, dims).set(query);
      const padded = Math.ceil(length / 4) * 4;
      const wanted = kernels.integers(ROWS, padded).fill(0);
      if (rows === undefined) for (let i = 0; i < length; i += 1) wanted[i] = first + i;
      else wanted.set(rows.subarray(first, first + length));
      kernels.scoreRows(CODES, ROWS, padded, dims, 0, SCORES);
      scores.set(kernels.integers(SCORES, length), first);
    }
    const places = topKPlaces(scores, limit);
    return rows === undefined ? places : places.map((place) => rows[place]!);
  }
}

/** Scales weights to 16 bits: sums over 1536 dimensions with codes of at most 15 stay within 32 bits. */
function integers(weights: Float64Array): Int16Array {
  let widest = 0;
  for (let i = 0; i < weights.length; i += 1) widest = Math.max(widest, Math.abs(weights[i]!));
  const unit = widest === 0 ? 0 : INT16 / widest;
  const whole = new Int16Array(weights.length);
  for (let i = 0; i < whole.length; i += 1) whole[i] = Math.round(weights[i]! * unit);
  return whole;
}

/** Packs the codes of one row, 0 to 15 each, into the kernel's layout. */
export function packCodes(codes: Uint8Array, into: Uint8Array): void {
  for (let from = 0, to = 0; from < codes.length; from += 32, to += 16) {
    for (let i = 0; i < 16; i += 1) into[to + i] = codes[from + i]! | (codes[from + 16 + i]! << 4);
  }
}
