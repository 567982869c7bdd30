import { SEARCH_DEFAULTS } from "../defaults.js";

/**
 * The vector sets, by number, that each search thread has: one thread all of them, or two about as many rows each where there are
 * many, {@link SEARCH_DEFAULTS}.vector.secondThreadFrom.
 *
 * @param rows of each set
 */
export function shareOut(rows: readonly number[]): readonly (readonly number[])[] {
  const sum = (sets: readonly number[]) => sets.reduce((sum, set) => sum + rows[set]!, 0);
  const all = [...rows.keys()];
  if (rows.length < 2 || sum(all) < SEARCH_DEFAULTS.vector.secondThreadFrom) return [all];
  const shares: [number[], number[]] = [[], []];
  for (const set of all.sort((a, b) => rows[b]! - rows[a]!))
    shares[sum(shares[0]) <= sum(shares[1]) ? 0 : 1].push(set);
  return shares;
}
