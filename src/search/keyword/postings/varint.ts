/**
 * Length in bytes of an unsigned integer below 2³² as a variable-length integer: seven bits per byte, lowest
 * first (LEB128).
 */
export function varintLength(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
}

/** Writes a variable-length integer at an offset; returns the offset after it. */
export function writeVarint(bytes: Uint8Array, offset: number, value: number): number {
  let rest = value;
  let at = offset;
  while (rest >= 0x80) {
    bytes[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}

/** Reads consecutive variable-length integers. */
export class VarintReader {
  constructor(
    private readonly bytes: Uint8Array,
    public offset = 0,
  ) {}

  /** Reads the next integer. */
  next(): number {
    const { bytes } = this;
    let byte = bytes[this.offset++]!;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let shift = 7;
    do {
      byte = bytes[this.offset++]!;
      value |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte >= 0x80);
    return value >>> 0;
  }
}
