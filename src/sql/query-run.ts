import type { PreparedTables } from "./own/own-tables.js";
import type { QueryClock } from "./query-clock.js";
import type { Find, SearchCall } from "./search-calls.js";
import type { ResultBatch } from "./sql-session.js";

/** What a query has brought and its reader has not taken. */
export interface QueryRun {
  readonly text: string;
  readonly batches: ResultBatch[];
  /** Set when there is no more to come. */
  ended: { readonly error: unknown } | undefined;
  /** Wakes the reader who waits for more. */
  wake: () => void;
  /** Answers the query's searches. */
  readonly answer: (calls: readonly SearchCall[]) => void;
  /** Stands still while the query waits for its reader. */
  readonly clock: QueryClock | undefined;
}

/** What a query needs of its parent. */
export interface QueryInput {
  /** The rows of its caller's own tables. */
  readonly rows: PreparedTables["rows"];
  readonly find: Find;
  readonly clock?: QueryClock | undefined;
}
