import { nextTurn } from "../next-turn.js";

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
  for await (const row of Symbol.asyncIterator in rows ? untilAborted(rows, signal) : rows) {
    batch.push(make(row, index++));
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
    await nextTurn();
    signal?.throwIfAborted();
  }
  if (batch.length > 0) yield batch;
}

async function* untilAborted<T>(
  rows: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, void> {
  const iterator = rows[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const next = await orAborted(iterator.next(), signal);
      if (next.done === true) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    // Not awaited: a pending source would hold up the abort.
    if (!ended) iterator.return?.().then(undefined, () => {});
  }
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
