/** A result whose memory is transferred to the calling thread without a copy. */
export class Moved<T> {
  constructor(
    readonly value: T,
    readonly buffers: readonly ArrayBuffer[],
  ) {}
}

/** Unwraps a transferred result. */
export function unmoved<T>(result: T | Moved<T>): T {
  return result instanceof Moved ? result.value : result;
}
