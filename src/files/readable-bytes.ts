/** Bytes that are read by position: a file, or an array in memory. */
export interface ReadableBytes {
  /** Number of bytes. */
  readonly size: number;
  /** Fills a view from a byte position. @throws RangeError past the end */
  read(into: NodeJS.ArrayBufferView, position: number): void;
  close(): void;
}

/** {@link ReadableBytes} in memory. */
export class MemoryBytes implements ReadableBytes {
  constructor(private readonly bytes: Uint8Array) {}

  get size(): number {
    return this.bytes.length;
  }

  read(into: NodeJS.ArrayBufferView, position: number): void {
    const end = position + into.byteLength;
    if (end > this.bytes.length) throw new RangeError(`${this.bytes.length} bytes end before byte ${end}`);
    const target = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
    target.set(this.bytes.subarray(position, end));
  }

  close(): void {}
}
