import { untilAborted } from "../contract/until-aborted.js";

/**
 * The values of a source. An abort ends the wait for the next at once, and asks the source to end without waiting for that.
 * @throws the signal's reason; any error of the source
 */
export async function* iterateUntilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, void> {
  const iterator = source[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const pending = iterator.next();
      const next = await (signal === undefined ? pending : untilAborted(pending, signal));
      if (next.done === true) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    const returned = ended ? undefined : iterator.return?.();
    // A pending source would hold up the abort.
    if (signal?.aborted) returned?.then(undefined, () => {});
    else await returned;
  }
}
