import { byteVectorOf } from "../byte-vectors.js";
import type { KeptRows } from "../kept-rows.js";
import type { StoredVectors } from "../load-vectors.js";

/** Puts the vectors that are kept in memory into their places. */
export class KeptBytes implements StoredVectors {
  /**
   * @param bytes the memory
   * @param at where the first place is
   */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly at: number,
    private readonly rows: KeptRows,
  ) {}

  put(stored: Uint8Array, first: number, width: number): void {
    const { bytes, at, rows } = this;
    const own = byteVectorOf(width);
    if (rows.all) {
      bytes.set(stored, at + first * own);
      return;
    }
    for (let from = 0; from < stored.length; from += own) {
      const place = rows.firstPlace(first + from / own);
      if (place !== undefined) bytes.set(stored.subarray(from, from + own), at + place * own);
    }
  }
}
