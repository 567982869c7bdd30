import { SEARCH_DEFAULTS } from "../defaults.js";

const { dimensions } = SEARCH_DEFAULTS;
/** The largest magnitude of a signed byte that has a negative. */
const LARGEST_BYTE = 127;

/** Bytes of a scale, a little-endian 32-bit float. */
const SCALE = Float32Array.BYTES_PER_ELEMENT;

/** Bytes of a stored vector of so many numbers: as many signed bytes, then its scale. */
export function byteVectorOf(width: number): number {
  return width + SCALE;
}

/** Bytes of a stored vector of 1536 numbers. */
export const BYTE_VECTOR = byteVectorOf(dimensions);

/**
 * The scale that makes signed bytes a vector of length 1, in single precision: 1 / √Σ byte²; 0 for zeros. The sum is of
 * integers, so the scale is the same on every machine.
 */
export function unitScale(bytes: Int8Array): number {
  let squares = 0;
  for (let i = 0; i < bytes.length; i += 1) squares += bytes[i]! * bytes[i]!;
  return squares === 0 ? 0 : Math.fround(1 / Math.sqrt(squares));
}

/**
 * Quantizes a vector to signed bytes, its largest magnitude 127, and stores them with a scale.
 * @param values at least as many as there is room for; others are zeros
 * @param unit whether the scale makes it a vector of length 1; otherwise its length stays
 */
export function storeByteVector(values: Float32Array, unit: boolean, into: Uint8Array): void {
  const width = into.length - SCALE;
  let largest = 0;
  for (let i = 0; i < width; i += 1) {
    const size = Math.abs(values[i]!);
    if (size > largest) largest = size;
  }
  const factor = largest === 0 ? 0 : LARGEST_BYTE / largest;
  const bytes = new Int8Array(into.buffer, into.byteOffset, width);
  for (let i = 0; i < width; i += 1) bytes[i] = Math.floor(values[i]! * factor + 0.5);
  const scale = unit ? unitScale(bytes) : largest / LARGEST_BYTE;
  new DataView(into.buffer, into.byteOffset + width, SCALE).setFloat32(0, scale, true);
}

/** Writes the numbers of a stored vector, each byte × scale in single precision, to `into` (1536 numbers), and zeros behind them. */
export function readByteVector(stored: Uint8Array, into: Float32Array): void {
  const width = stored.length - SCALE;
  const bytes = new Int8Array(stored.buffer, stored.byteOffset, width);
  const scale = new DataView(stored.buffer, stored.byteOffset + width, SCALE).getFloat32(0, true);
  for (let i = 0; i < width; i += 1) into[i] = bytes[i]! * scale;
  into.fill(0, width);
}

/** Copies stored vectors of `from` numbers each to where they have room for `to`, not fewer: zeros follow, then the scale. */
export function copyByteVectors(stored: Uint8Array, from: number, into: Uint8Array, to: number): void {
  if (from === to) {
    into.set(stored);
    return;
  }
  const [own, room] = [byteVectorOf(from), byteVectorOf(to)];
  for (let at = 0, place = 0; at < stored.length; at += own, place += room) {
    into.set(stored.subarray(at, at + from), place);
    into.fill(0, place + from, place + to);
    into.set(stored.subarray(at + from, at + own), place + to);
  }
}
