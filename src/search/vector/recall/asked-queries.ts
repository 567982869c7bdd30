import { SEARCH_DEFAULTS } from "../../defaults.js";
import { sampleSize } from "./recall-sample.js";

const { scans } = SEARCH_DEFAULTS.vector;

/** How often sets that are measured were asked queries, counted in memory that threads share. */
export class AskedQueries {
  /** How often all sets are asked queries at most. */
  readonly total: number;
  private readonly counts: Int32Array;
  private readonly most: readonly number[];
  private readonly ended = new Set<number>();

  /** @param sets rows of each */
  constructor(sets: readonly { readonly rows: number }[]) {
    this.counts = new Int32Array(new SharedArrayBuffer(4 * sets.length));
    // Once exactly, and then at each width of scans; of graphs there are fewer breadths.
    this.most = sets.map(({ rows }) => sampleSize(rows) * (1 + scans.length));
    this.total = this.most.reduce((sum, most) => sum + most, 0);
  }

  /** How often they were asked so far. */
  get done(): number {
    return this.most.reduce(
      (sum, most, set) => sum + (this.ended.has(set) ? most : Math.min(most, Atomics.load(this.counts, set))),
      0,
    );
  }

  /** Where the queries of a set are counted. */
  of(set: number): { readonly counts: Int32Array; readonly at: number } {
    return { counts: this.counts, at: set };
  }

  /** Counts a set as measured, however seldom it was asked. */
  end(set: number): void {
    this.ended.add(set);
  }
}
