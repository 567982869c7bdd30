import { nextTurn } from "../next-turn.js";
import { iterateUntilAborted } from "./iterate-until-aborted.js";

/** Rows per batch: converting them takes a few milliseconds. */
const BATCH_ROWS = 256;

/**
 * Groups what is made of rows into batches. It is made when the row comes, since a source may use one object for all of its rows. The
 * event loop turns between two batches. An abort ends it at once, even while the source is pending, and asks the source to end.
 * @throws the signal's reason; any error of the source and of `make`
 */
export async function* rowBatches<Row, Made>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  make: (row: Row, index: number) => Made,
  signal: AbortSignal | undefined,
): AsyncGenerator<Made[], void, void> {
  let batch: Made[] = [];
  let index = 0;
  for await (const row of Symbol.asyncIterator in rows ? iterateUntilAborted(rows, signal) : rows) {
    batch.push(make(row, index++));
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
    await nextTurn();
    signal?.throwIfAborted();
  }
  if (batch.length > 0) yield batch;
}
