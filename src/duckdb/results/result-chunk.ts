import type { DuckDBDataChunk, DuckDBType } from "@duckdb/node-api";

/** A chunk of a result with its columns; `chunk` is undefined once for a result without rows. */
export interface ResultChunk {
  readonly names: readonly string[];
  readonly types: readonly DuckDBType[];
  readonly chunk: DuckDBDataChunk | undefined;
}
