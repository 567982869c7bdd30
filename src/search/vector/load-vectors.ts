import { nextTurn } from "../../next-turn.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { byteVectorOf } from "./byte-vectors.js";
import { type Claims, OwnClaims } from "./load-claims.js";
import type { ByteVectors } from "./vectors.js";

/** Vectors read at a time; a multiple of what codes are made of at once. */
export const PIECE_ROWS = 256;
/** Pieces per turn of the event loop: some milliseconds. */
const PIECES = 8;

/** Takes vectors as they are stored, in pieces. */
export interface StoredVectors {
  /** Room for {@link PIECE_ROWS} vectors of 1536 numbers, where it needs not copy them. */
  readonly room?: Uint8Array;
  /** Takes those from row `first` on, of `width` numbers each; the bytes are valid until it returns. */
  put(stored: Uint8Array, first: number, width: number): void;
}

/** How many pieces so many vectors are read in. */
export function piecesOf(count: number): number {
  return Math.ceil(count / PIECE_ROWS);
}

/**
 * Reads vectors of a set once, for all that make something of them.
 * @param options claims: the pieces to read; default: all
 * @throws RangeError if a file is too short; the signal's reason
 */
export async function loadVectors(
  vectors: ByteVectors,
  into: readonly StoredVectors[],
  options: { readonly claims?: Claims; readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const { claims = new OwnClaims(piecesOf(vectors.count)), signal } = options;
  if (into.length === 0) return;
  const { width } = vectors;
  const own = byteVectorOf(width);
  const isWhole = width === SEARCH_DEFAULTS.dimensions;
  const room = isWhole ? into.find((one) => one.room !== undefined)?.room : undefined;
  const bytes = room ?? new Uint8Array(Math.min(PIECE_ROWS, vectors.count) * own);
  let read = 0;
  for (let piece = claims.next(); piece !== undefined; piece = claims.next()) {
    const first = piece * PIECE_ROWS;
    const count = Math.min(PIECE_ROWS, vectors.count - first);
    vectors.readBytes(first, count, bytes);
    const stored = bytes.subarray(0, count * own);
    for (const one of into) one.put(stored, first, width);
    claims.done();
    read += 1;
    if (read % PIECES > 0) continue;
    // Before the next piece is claimed, so that no thread waits for it meanwhile.
    await nextTurn();
    signal?.throwIfAborted();
  }
}
