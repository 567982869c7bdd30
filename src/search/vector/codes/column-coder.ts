import { SEARCH_DEFAULTS } from "../../defaults.js";
import { BYTE_VECTOR, byteVectorOf, copyByteVectors } from "../byte-vectors.js";
import { CODING_DESK, type Kernels } from "../kernels.js";
import { PIECE_ROWS, type StoredVectors } from "../load-vectors.js";
import { CODED_ROWS, offsetInPlane, planeBytesOf } from "./column-codes.js";

/** Dimensions of a piece's vectors that are coded before the next ones: what is written is in the cache until its lines are full. */
const DIMENSIONS = 128;

/** Bytes of room for the work of one thread that makes codes. */
export const CODER_BYTES = CODING_DESK + PIECE_ROWS * BYTE_VECTOR;

/** Where a thread makes the codes of a set's columns, as byte addresses. */
export interface CoderPlaces {
  /** Rows and dimensions of the set. */
  readonly count: number;
  readonly dims: number;
  readonly factors: number;
  readonly added: number;
  readonly cells: number;
  /** {@link CODER_BYTES} of the thread's own. */
  readonly desk: number;
  readonly codes: number;
}

/** Makes the codes of a set's columns, piece by piece. Threads may do so side by side, each with a desk of its own. */
export class ColumnCoder implements StoredVectors {
  readonly room: Uint8Array;
  private readonly vectors: number;
  private readonly planeBytes: number;

  /** @param kernels of the memory that has the codes */
  constructor(
    private readonly kernels: Kernels,
    private readonly places: CoderPlaces,
  ) {
    this.vectors = places.desk + CODING_DESK;
    this.room = kernels.bytes.subarray(this.vectors, this.vectors + PIECE_ROWS * BYTE_VECTOR);
    this.planeBytes = planeBytesOf(places.count);
  }

  /** Codes the vectors from `first`, a multiple of 64, on. */
  put(stored: Uint8Array, first: number, width: number): void {
    const { room } = this;
    const own = byteVectorOf(width);
    for (let done = 0; done < stored.length; done += PIECE_ROWS * own) {
      const some = stored.subarray(done, done + PIECE_ROWS * own);
      const count = some.length / own;
      const isThere = some.buffer === room.buffer && some.byteOffset === room.byteOffset;
      if (!isThere) copyByteVectors(some, width, room, SEARCH_DEFAULTS.dimensions);
      room.fill(0, count * BYTE_VECTOR);
      this.code(first + done / own, count);
    }
  }

  private code(first: number, count: number): void {
    const { kernels, places, vectors, planeBytes } = this;
    const { dims, codes } = places;
    for (let dimension = 0; dimension < dims; dimension += DIMENSIONS) {
      const part = { first: dimension, dims: Math.min(DIMENSIONS, dims - dimension) };
      for (let row = 0; row < count; row += CODED_ROWS) {
        const into = { codes: codes + offsetInPlane(first + row), planeBytes };
        kernels.codeRows(vectors + row * BYTE_VECTOR, part, places, into);
      }
    }
  }
}
