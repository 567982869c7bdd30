import type { Cells } from "../duckdb/cells.js";
import type { Failure } from "../processes/failure.js";
import type { Found, SearchCall } from "./search-calls.js";
import type { SessionPlan } from "./session-plan.js";
import type { ResultBatch, UserQuery } from "./sql-session.js";

/** What an engine in another process is made of. */
export interface RemoteSession {
  readonly plan: SessionPlan;
  /** Where vectors are read from: what the process's opener of vectors takes. */
  readonly vectors: unknown;
}

/** A message to a process that runs queries, one at a time. */
export type QueryMessage =
  | {
      readonly kind: "query";
      readonly query: Pick<UserQuery, "text" | "params">;
      readonly byColumn: boolean;
      /** The engine, where it is another than that of the query before. */
      readonly session: RemoteSession | undefined;
      /** Bytes that the query may take. */
      readonly memoryBytes: number;
      /** Milliseconds until the process ends itself. */
      readonly endAfterMs: number;
    }
  /** Rows of a table of the next query's caller. */
  | { readonly kind: "rows"; readonly table: string; readonly rows: Cells }
  /** What the searches of the query found. */
  | {
      readonly kind: "found";
      readonly found: readonly Found[] | undefined;
      readonly failure?: Failure | undefined;
    }
  /** The reader has taken a batch. */
  | { readonly kind: "more" }
  /** The reader wants no more: the query ends as soon as the engine lets it. */
  | { readonly kind: "cancel" };

/** A message of a process that runs queries. */
export type QueryReply =
  /** The process is ready for its first query. */
  | { readonly kind: "ready" }
  /** The engine of the query's session is open. */
  | { readonly kind: "opened" }
  | { readonly kind: "batch"; readonly batch: ResultBatch }
  /** The query waits until the reader takes a batch. */
  | { readonly kind: "waiting" }
  /** The query needs the answers of searches before it runs. */
  | { readonly kind: "search"; readonly calls: readonly SearchCall[] }
  | {
      readonly kind: "end";
      readonly failure: Failure | undefined;
      /** Whether an engine is open for the next query. */
      readonly isOpen: boolean;
      /** Bytes that the process holds beyond those of its start. */
      readonly heldBytes: number;
    };
