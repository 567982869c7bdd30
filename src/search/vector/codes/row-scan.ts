import type { EventLoopQueue } from "../../event-loop-queue.js";
import type { StoredVectors } from "../load-vectors.js";
import { topKPlaces } from "../scores/top-k-places.js";
import type { SetStatistics } from "../set-statistics.js";
import { CodeSpace } from "./code-space.js";
import type { QuantizerName } from "./quantizer.js";
import { RowCodes, SCORED_ROWS } from "./row-codes.js";

/** Rows scored per turn of the event loop: some milliseconds. */
const RUN = 32 * SCORED_ROWS;

/** The codes of a set's rows, one row after another in memory, and queries in their terms. */
export class RowScan implements StoredVectors {
  private constructor(
    private readonly space: CodeSpace,
    readonly codes: RowCodes,
  ) {}

  /**
   * Makes room for the codes of `count` rows.
   * @throws RangeError if that much memory is not available.
   */
  static async create(
    count: number,
    statistics: Pick<SetStatistics, "mean" | "deviation">,
    quantizer: QuantizerName,
  ): Promise<RowScan> {
    const space = new CodeSpace(statistics, quantizer);
    return new RowScan(space, await RowCodes.create(count, space));
  }

  put(stored: Uint8Array, first: number, width: number): void {
    this.codes.put(stored, first, width);
  }

  /** A query's weights, which {@link RowCodes.setQuery} takes. */
  weightsOf(query: Float32Array): Int16Array {
    return this.space.weigh(query).weights;
  }

  /**
   * Returns those of the rows (ascending) that score best by their codes: `limit`, or a few more where scores do not tell them apart,
   * ascending.
   */
  async best(
    query: Float32Array,
    rows: Uint32Array,
    limit: number,
    queue: EventLoopQueue,
    signal?: AbortSignal,
  ): Promise<Uint32Array> {
    if (rows.length <= limit) return rows;
    const sums = await this.sums(query, rows, queue, signal);
    return topKPlaces(sums, limit).map((place) => rows[place]!);
  }

  /** The score of each row by its codes. */
  async sums(
    query: Float32Array,
    rows: Uint32Array,
    queue: EventLoopQueue,
    signal?: AbortSignal,
  ): Promise<Int32Array> {
    const { codes } = this;
    const weights = this.weightsOf(query);
    const sums = new Int32Array(rows.length);
    for (let first = 0; first < rows.length; first += SCORED_ROWS) {
      if (first % RUN === 0) {
        if (first > 0) await queue.next(signal);
        signal?.throwIfAborted();
        // Another search may have been here meanwhile.
        codes.setQuery(weights);
      }
      const some = rows.subarray(first, first + SCORED_ROWS);
      codes.rows.set(some);
      codes.score(some.length, codes.weights);
      sums.set(codes.sums.subarray(0, some.length), first);
    }
    return sums;
  }
}
