import { SEARCH_DEFAULTS } from "../defaults.js";
import { BYTE_VECTOR } from "./byte-vectors.js";

const { dimensions, vector } = SEARCH_DEFAULTS;
/** Bytes of a row's codes, which are in memory always, and of its place. */
const CODES = dimensions / 2 + 4;
/** Bytes of a row that is kept: its vector, its number and whether it was found. */
const KEPT = BYTE_VECTOR + 5;

/**
 * How many vectors of each set an open index keeps in memory: what has room beside the codes of all, in the order of the sets, and
 * of a large index a share of each set.
 * @param rows of each set
 */
export function rowsToKeep(rows: readonly number[]): number[] {
  const all = rows.reduce((sum, count) => sum + count, 0);
  const room = Math.floor(Math.min(vector.bytesMemory, vector.memory - all * CODES) / KEPT);
  if (room < all * vector.keptShare) return rows.map((count) => Math.floor(count * vector.keptShare));
  let left = room;
  return rows.map((count) => {
    const kept = Math.min(count, left);
    left -= kept;
    return kept;
  });
}
