/**
 * Works through items, some at a time. The first failure ends the rest: their signal is aborted, and when all have let go
 * the failure is thrown.
 */
export async function runPool<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
  abort: (reason: unknown) => void,
): Promise<void> {
  let next = 0;
  let failed = false;
  let failure: unknown;
  const run = async () => {
    while (!failed && next < items.length) {
      const item = items[next++]!;
      try {
        await work(item);
      } catch (error) {
        if (!failed) {
          failed = true;
          failure = error;
          abort(error);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, run));
  if (failed) throw failure;
}
