import type { DuckDBConnection } from "@duckdb/node-api";
import type { Cells } from "./cells.js";
import { chunkOf } from "./engine.js";
import type { DuckDb } from "./load-package.js";
import { CONVERSION_TURN } from "./results/conversion-turn.js";

/** Rows of one chunk. */
const CHUNK_ROWS = 2048;

/**
 * Appends rows to a table with the engine's appender; see `Database.append`.
 * @throws TypeError for a cell that does not fit its column; the engine's error about the table
 */
export async function appendCells(
  duckDb: DuckDb,
  connection: DuckDBConnection,
  table: string,
  rows: Iterable<Cells[number]>,
): Promise<void> {
  const appender = await connection.createAppender(table);
  try {
    const types = Array.from({ length: appender.columnCount }, (_, i) => appender.columnType(i));
    for (const chunk of chunksOf(rows)) {
      appender.appendDataChunk(chunkOf(duckDb, types, chunk));
      if (CONVERSION_TURN.isOver()) await CONVERSION_TURN.next();
    }
    appender.flushSync();
  } finally {
    appender.closeSync();
  }
}

function* chunksOf(rows: Iterable<Cells[number]>): Generator<Cells, void, void> {
  let chunk: Cells[number][] = [];
  for (const row of rows) {
    if (chunk.push(row) < CHUNK_ROWS) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
