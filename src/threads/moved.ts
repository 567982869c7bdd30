/** A result whose memory goes from a worker thread to the thread that asked, without a copy. */
export class Moved<T> {
  constructor(
    readonly value: T,
    readonly buffers: readonly ArrayBuffer[],
  ) {}
}

/** The result itself. */
export function unmoved<T>(result: T | Moved<T>): T {
  return result instanceof Moved ? result.value : result;
}
