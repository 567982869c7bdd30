import { setImmediate } from "node:timers/promises";

/** Rows per batch: converting them takes a few milliseconds. */
const BATCH_ROWS = 256;

/**
 * Groups rows into batches. The event loop turns between two batches. An abort ends it at once, even while the source is
 * pending, and asks the source to end.
 * @throws the signal's reason; any error of the source
 */
export async function* rowBatches<T>(
  rows: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T[], void, void> {
  let batch: T[] = [];
  for await (const row of Symbol.asyncIterator in rows ? untilAborted(rows, signal) : rows) {
    batch.push(row);
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
    await setImmediate();
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
