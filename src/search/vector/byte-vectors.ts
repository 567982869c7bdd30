import { SEARCH_DEFAULTS } from "../defaults.js";

const { dimensions } = SEARCH_DEFAULTS;
/** The largest magnitude of a signed byte that has a negative. */
const LARGEST_BYTE = 127;

/** Bytes of a stored vector: 1536 signed bytes, then its scale as a little-endian 32-bit float. */
export const BYTE_VECTOR = dimensions + Float32Array.BYTES_PER_ELEMENT;

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
 * @param unit whether the scale makes it a vector of length 1; otherwise its length stays
 */
export function storeByteVector(values: Float32Array, unit: boolean, into: Uint8Array): void {
  let largest = 0;
  for (let i = 0; i < dimensions; i += 1) {
    const size = Math.abs(values[i]!);
    if (size > largest) largest = size;
  }
  const factor = largest === 0 ? 0 : LARGEST_BYTE / largest;
  const bytes = new Int8Array(into.buffer, into.byteOffset, dimensions);
  for (let i = 0; i < dimensions; i += 1) bytes[i] = Math.floor(values[i]! * factor + 0.5);
  const scale = unit ? unitScale(bytes) : largest / LARGEST_BYTE;
  new DataView(into.buffer, into.byteOffset + dimensions, 4).setFloat32(0, scale, true);
}

/** Writes the numbers of a stored vector, each byte × scale in single precision, to `into` (1536 numbers). */
export function readByteVector(stored: Uint8Array, into: Float32Array): void {
  const bytes = new Int8Array(stored.buffer, stored.byteOffset, dimensions);
  const scale = new DataView(stored.buffer, stored.byteOffset + dimensions, 4).getFloat32(0, true);
  for (let i = 0; i < dimensions; i += 1) into[i] = bytes[i]! * scale;
}
