/** Reads rows in ClickHouse's format RowBinary, as `RowBinaryWriter` writes them. */
export class RowBinaryReader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  /** Whether nothing is left. */
  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  uint32(): number {
    this.at += 4;
    return this.bytes.readUInt32LE(this.at - 4);
  }

  /** A UInt64 below 2⁵³. */
  uint64(): number {
    this.at += 8;
    return Number(this.bytes.readBigUInt64LE(this.at - 8));
  }

  float64(): number {
    this.at += 8;
    return this.bytes.readDoubleLE(this.at - 8);
  }

  /** The bytes of a text, not copied. */
  text(): Buffer {
    return this.take(this.length());
  }

  /** The bytes of an array of numbers of so many bytes each, not copied. */
  array(width: number): Buffer {
    return this.take(this.length() * width);
  }

  /** So many bytes, not copied. */
  take(count: number): Buffer {
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  private length(): number {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++]!;
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) return length;
    }
  }
}
