import { nextTurn } from "../../next-turn.js";
import { byteVectorOf } from "./byte-vectors.js";
import type { ByteVectors } from "./vectors.js";

/** Vectors read at a time; a multiple of what codes are made of at once. */
const PIECE = 256;
/** Pieces per turn of the event loop: some milliseconds. */
const PIECES = 8;

/** Takes vectors as they are stored, in pieces. */
export interface StoredVectors {
  /** Takes those from row `first` on, of `width` numbers each; the bytes are valid until it returns. */
  put(stored: Uint8Array, first: number, width: number): void;
}

/**
 * Reads all vectors of a set once, for all that make something of them.
 * @throws RangeError if a file is too short; the signal's reason
 */
export async function loadVectors(
  vectors: ByteVectors,
  into: readonly StoredVectors[],
  signal?: AbortSignal,
): Promise<void> {
  if (into.length === 0) return;
  const { width } = vectors;
  const own = byteVectorOf(width);
  const bytes = new Uint8Array(Math.min(PIECE, vectors.count) * own);
  for (let first = 0; first < vectors.count; first += PIECE) {
    if (first > 0 && first % (PIECE * PIECES) === 0) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    const count = Math.min(PIECE, vectors.count - first);
    vectors.readBytes(first, count, bytes);
    const piece = bytes.subarray(0, count * own);
    for (const one of into) one.put(piece, first, width);
  }
}
