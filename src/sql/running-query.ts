import { performance } from "node:perf_hooks";
import type { PreparedTables } from "./own/own-tables.js";
import type { QueryClock } from "./query-clock.js";
import type { Find, SearchCall } from "./search-calls.js";
import type { ResultBatch } from "./sql-session.js";

/** What a query has brought and its reader has not taken. */
export class RunningQuery {
  readonly batches: ResultBatch[] = [];
  /** Set when there is no more to come. */
  ended: { readonly error: unknown } | undefined;
  /** Wakes the reader who waits for more. */
  wake: () => void = () => {};
  private pausedAtMs: number | undefined;

  /**
   * @param answer answers the query's searches
   * @param clock stands still while the query waits for its reader
   */
  constructor(
    readonly text: string,
    readonly answer: (calls: readonly SearchCall[]) => void,
    private readonly clock: QueryClock | undefined,
  ) {}

  /** For how many milliseconds it has waited for its reader; undefined while it computes. */
  get waitedMs(): number | undefined {
    return this.pausedAtMs === undefined ? undefined : performance.now() - this.pausedAtMs;
  }

  /** Waits for the reader from now on. */
  pause(): void {
    this.clock?.pause();
    this.pausedAtMs = performance.now();
  }

  /** Goes on. */
  resume(): void {
    this.clock?.resume();
    this.pausedAtMs = undefined;
  }

  /** Ends, with an error or without one. */
  end(error: unknown): void {
    this.clock?.stop();
    this.pausedAtMs = undefined;
    this.ended = { error };
    this.wake();
  }
}

/** What a query needs of its parent. */
export interface QueryInput {
  /** The rows of its caller's own tables. */
  readonly rows: PreparedTables["rows"];
  readonly find: Find;
  readonly clock?: QueryClock | undefined;
}
