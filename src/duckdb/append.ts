import type { DuckDBConnection } from "@duckdb/node-api";
import type { Cells } from "./cells.js";
import { chunkOf } from "./engine.js";
import type { DuckDb } from "./load-package.js";

const CHUNK_ROWS = 2048;

/**
 * Appends rows to a table with the engine's appender; see `Database.append`.
 * @throws TypeError for a cell that does not fit its column; the engine's error about the table
 */
export async function appendCells(
  duckDb: DuckDb,
  connection: DuckDBConnection,
  table: string,
  rows: Cells,
): Promise<void> {
  const appender = await connection.createAppender(table);
  try {
    const types = Array.from({ length: appender.columnCount }, (_, i) => appender.columnType(i));
    for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
      appender.appendDataChunk(chunkOf(duckDb, types, rows.slice(start, start + CHUNK_ROWS)));
    }
    appender.flushSync();
  } finally {
    appender.closeSync();
  }
}
