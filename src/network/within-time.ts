import { clearTimeout, setTimeout } from "node:timers";
/** Limits of a call that takes time. */
export interface TimeLimit {
  /** Longest time, ms; undefined for none. */
  readonly timeoutMs: number | undefined;
  /** The caller's signal. */
  readonly signal?: AbortSignal | undefined;
  /** Creates the error of a call that took too long. */
  readonly expired: (timeoutMs: number) => Error;
}

/**
 * Runs a call with a signal that is aborted by the caller's or when the time is over. It rejects at that time even if the
 * call ignores its signal. It holds both signals itself: those that `AbortSignal.timeout` and `AbortSignal.any` make are
 * held weakly, and may be collected before they fire.
 * @throws the limit's error; whatever the call throws
 */
export async function withinTime<T>(
  { timeoutMs, signal, expired }: TimeLimit,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener("abort", abort, { once: true });
  let timer: NodeJS.Timeout | undefined;
  let error: Error | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    if (timeoutMs === undefined) return;
    timer = setTimeout(() => {
      error = expired(timeoutMs);
      controller.abort(error);
      reject(error);
    }, timeoutMs);
  });
  try {
    return await Promise.race([call(controller.signal), late]);
  } catch (thrown) {
    throw error !== undefined && signal?.aborted !== true ? error : thrown;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
