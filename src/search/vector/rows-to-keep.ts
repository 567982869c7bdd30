import { SEARCH_DEFAULTS } from "../defaults.js";
import { byteVectorOf } from "./byte-vectors.js";

const { dimensions, vector } = SEARCH_DEFAULTS;

/**
 * How many vectors of each set an open index keeps in memory: what has room beside the codes of all, in the order of the sets, and
 * of a large index a share of each set.
 * @param rows of each set
 * @param width numbers of a vector that are stored
 */
export function rowsToKeep(rows: readonly number[], width: number = dimensions): number[] {
  const all = rows.reduce((sum, count) => sum + count, 0);
  // Codes of each row, which are in memory always, and its place.
  const codes = width / 2 + 4;
  // Of a row that is kept, its number, and whether it was found.
  const stored = byteVectorOf(width) + 5;
  const room = Math.floor(Math.min(vector.bytesMemory, vector.memory - all * codes) / stored);
  if (room < all * vector.keptShare) return rows.map((count) => Math.floor(count * vector.keptShare));
  let left = room;
  return rows.map((count) => {
    const kept = Math.min(count, left);
    left -= kept;
    return kept;
  });
}
