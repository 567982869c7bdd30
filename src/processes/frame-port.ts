import type { Duplex } from "node:stream";
import { deserialize, serialize } from "node:v8";

const HEADER = 4;

/**
 * Sends values to another process and receives its values, over a stream. A value is sent as the length of its bytes (32 bits,
 * little-endian) and its bytes in the format of the structured clone, so typed arrays stay binary.
 */
export class FramePort {
  private part = Buffer.alloc(HEADER);
  private filled = 0;
  private isHeader = true;

  /** @param onValue called with each received value, in order */
  constructor(
    private readonly stream: Duplex,
    private readonly onValue: (value: unknown) => void,
  ) {
    stream.on("data", (bytes: Buffer) => this.take(bytes));
  }

  /** Sends a value. @throws Error if it cannot be cloned: a function, a symbol */
  send(value: unknown): void {
    const body = serialize(value);
    const header = Buffer.alloc(HEADER);
    header.writeUInt32LE(body.length);
    this.stream.cork();
    this.stream.write(header);
    this.stream.write(body);
    this.stream.uncork();
  }

  /** Resolves when the stream takes more without holding it in memory, or has ended. */
  async flushed(): Promise<void> {
    const { stream } = this;
    if (!stream.writableNeedDrain || stream.destroyed) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        stream.off("drain", done);
        stream.off("close", done);
        resolve();
      };
      stream.on("drain", done);
      stream.on("close", done);
    });
  }

  private take(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const count = Math.min(bytes.length - at, this.part.length - this.filled);
      bytes.copy(this.part, this.filled, at, at + count);
      this.filled += count;
      at += count;
      if (this.filled === this.part.length) this.complete(this.part);
    }
  }

  private complete(part: Buffer): void {
    this.filled = 0;
    this.isHeader = !this.isHeader;
    // Not from the pool of small buffers: typed arrays of a value are views of its bytes where they are aligned.
    this.part = Buffer.allocUnsafeSlow(this.isHeader ? HEADER : part.readUInt32LE());
    if (this.isHeader) this.onValue(deserialize(part));
  }
}
