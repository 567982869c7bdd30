import { setImmediate } from "node:timers/promises";

/** Rows of a batch: converting them takes a few milliseconds. */
const BATCH_ROWS = 256;

/**
 * Rows in batches, as they come; between two batches the event loop turns. On abort it ends at once, whether or not the
 * source is waiting for something, and asks the source to end too.
 * @throws the signal's reason; whatever the source throws
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
    // Not waited for: a source that waits for something would hold up the abort.
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
