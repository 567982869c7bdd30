import { SEARCH_DEFAULTS } from "../defaults.js";

/**
 * Assigns vector sets, by number, to search threads: one thread, or two with about equal rows for large
 * indexes, {@link SEARCH_DEFAULTS}.vector.secondThreadFrom; of a large one of a single set, the second thread has none and helps.
 *
 * @param rows of each set
 */
export function shareOut(rows: readonly number[]): readonly (readonly number[])[] {
  const sum = (sets: readonly number[]) => sets.reduce((sum, set) => sum + rows[set]!, 0);
  const all = [...rows.keys()];
  if (sum(all) < SEARCH_DEFAULTS.vector.secondThreadFrom) return [all];
  const shares: [number[], number[]] = [[], []];
  for (const set of all.sort((a, b) => rows[b]! - rows[a]!))
    shares[sum(shares[0]) <= sum(shares[1]) ? 0 : 1].push(set);
  return shares;
}
