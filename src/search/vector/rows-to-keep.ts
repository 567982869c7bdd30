import { SEARCH_DEFAULTS } from "../defaults.js";
import { BYTE_VECTOR } from "./byte-vectors.js";

const { dimensions, vector } = SEARCH_DEFAULTS;
/** Bytes of a row's codes, which are in memory always. */
const CODES = dimensions / 2;

/**
 * How many vectors of each set an open index keeps in memory: what has room beside the codes of all, in the order of the sets.
 * @param rows of each set
 */
export function rowsToKeep(rows: readonly number[]): number[] {
  const codes = rows.reduce((sum, count) => sum + count * CODES, 0);
  let room = Math.floor(Math.max(0, Math.min(vector.bytesMemory, vector.memory - codes)) / BYTE_VECTOR);
  return rows.map((count) => {
    const kept = Math.min(count, room);
    room -= kept;
    return kept;
  });
}
