import { closeSync, openSync, writeSync } from "node:fs";

const BUFFER = 1 << 16;

/** Appends bytes to a new file, buffered. */
export class ByteSink {
  private readonly descriptor: number;
  private readonly buffer = new Uint8Array(BUFFER);
  private used = 0;
  private flushed = 0;
  private closed = false;

  constructor(path: string) {
    this.descriptor = openSync(path, "w");
  }

  /** Bytes written so far. */
  get size(): number {
    return this.flushed + this.used;
  }

  /** Appends bytes. */
  write(bytes: Uint8Array): void {
    if (bytes.length > BUFFER - this.used) this.flush();
    if (bytes.length > BUFFER) {
      this.writeAll(bytes);
      return;
    }
    this.buffer.set(bytes, this.used);
    this.used += bytes.length;
  }

  /** Writes the buffer and closes the file. */
  finish(): void {
    this.flush();
    this.close();
  }

  /** Closes the file as it is, if it is open: on a full disk nothing more is written. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    closeSync(this.descriptor);
  }

  private flush(): void {
    this.writeAll(this.buffer.subarray(0, this.used));
    this.used = 0;
  }

  private writeAll(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.descriptor, bytes, done, bytes.length - done);
    }
    this.flushed += bytes.length;
  }
}
