import { nextTurn } from "../../next-turn.js";
import type { ByteVectorFile } from "./byte-vector-file.js";
import { BYTE_VECTOR } from "./byte-vectors.js";

/** Vectors read at a time; a multiple of what codes are made of at once. */
const PIECE = 256;
/** Pieces per turn of the event loop: some milliseconds. */
const PIECES = 8;

/** Takes vectors as they are stored, in pieces. */
export interface StoredVectors {
  /** Takes those from row `first` on; the bytes are valid until it returns. */
  put(stored: Uint8Array, first: number): void;
}

/**
 * Reads a whole file of vectors once, for all that make something of it.
 * @throws RangeError if the file is too short; the signal's reason
 */
export async function loadVectors(
  file: ByteVectorFile,
  into: readonly StoredVectors[],
  signal?: AbortSignal,
): Promise<void> {
  if (into.length === 0) return;
  const bytes = new Uint8Array(Math.min(PIECE, file.count) * BYTE_VECTOR);
  for (let first = 0; first < file.count; first += PIECE) {
    if (first > 0 && first % (PIECE * PIECES) === 0) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    const count = Math.min(PIECE, file.count - first);
    file.readBytes(first, count, bytes);
    const piece = bytes.subarray(0, count * BYTE_VECTOR);
    for (const one of into) one.put(piece, first);
  }
}
