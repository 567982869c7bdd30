import { CLICKHOUSE_DEFAULTS } from "./defaults.js";

/** Bytes of a new writer: it grows to what is sent at a time. */
const FIRST_BYTES = 1024;

/** Writes rows in ClickHouse's format RowBinary: values one after another, little-endian, texts with their length before them. */
export class RowBinaryWriter {
  private bytes = Buffer.allocUnsafe(FIRST_BYTES);
  private used = 0;
  private readonly known = new Map<string, Buffer>();

  /** Whether it holds as much as is sent at a time. */
  get full(): boolean {
    return this.used >= CLICKHOUSE_DEFAULTS.sendBytes;
  }

  /** Returns what was written since the last call. */
  take(): Buffer {
    const taken = Buffer.from(this.bytes.subarray(0, this.used));
    this.used = 0;
    return taken;
  }

  uint8(value: number): this {
    this.reserve(1);
    this.used = this.bytes.writeUInt8(value, this.used);
    return this;
  }

  uint32(value: number): this {
    this.reserve(4);
    this.used = this.bytes.writeUInt32LE(value, this.used);
    return this;
  }

  /** A whole number below 2⁵³, as UInt64. */
  uint64(value: number): this {
    this.reserve(8);
    this.used = this.bytes.writeBigUInt64LE(BigInt(value), this.used);
    return this;
  }

  /** A whole number of at most 53 bits, as Int64. */
  int64(value: number): this {
    this.reserve(8);
    this.used = this.bytes.writeBigInt64LE(BigInt(value), this.used);
    return this;
  }

  float32(value: number): this {
    this.reserve(4);
    this.used = this.bytes.writeFloatLE(value, this.used);
    return this;
  }

  float64(value: number): this {
    this.reserve(8);
    this.used = this.bytes.writeDoubleLE(value, this.used);
    return this;
  }

  text(value: string): this {
    const bytes = Buffer.byteLength(value);
    this.reserve(bytes + 5);
    this.length(bytes);
    this.used += this.bytes.write(value, this.used);
    return this;
  }

  /** A text that comes again and again, such as the name of a platform. */
  word(value: string): this {
    let stored = this.known.get(value);
    if (stored === undefined) {
      const one = new RowBinaryWriter();
      stored = one.text(value).take();
      this.known.set(value, stored);
    }
    return this.raw(stored);
  }

  /** A value that may be absent, as Nullable. */
  nullable<T>(value: T | null | undefined, write: (value: T) => void): this {
    this.reserve(1);
    const absent = value === null || value === undefined || Number.isNaN(value);
    this.bytes[this.used++] = absent ? 1 : 0;
    if (!absent) write(value);
    return this;
  }

  /** The number of values of an array, which follow. */
  array(count: number): this {
    this.reserve(5);
    this.length(count);
    return this;
  }

  /** Bytes as they are. */
  raw(bytes: Uint8Array): this {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.used);
    this.used += bytes.length;
    return this;
  }

  private length(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.used++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.bytes[this.used++] = rest;
  }

  private reserve(bytes: number): void {
    if (this.used + bytes <= this.bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.used + bytes));
    this.bytes.copy(grown, 0, 0, this.used);
    this.bytes = grown;
  }
}
