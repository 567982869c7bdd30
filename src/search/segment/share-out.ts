import { SEARCH_DEFAULTS } from "../defaults.js";

/** Threads that search an index of so many rows: one, or two of a large one, {@link SEARCH_DEFAULTS}.vector.secondThreadFrom. */
export function threadsFor(rows: number): 1 | 2 {
  return rows < SEARCH_DEFAULTS.vector.secondThreadFrom ? 1 : 2;
}

/**
 * Assigns vector sets, by number, to search threads, with about equal rows; of a single set, the second thread has none and helps.
 * @param rows of each set
 */
export function shareOut(rows: readonly number[], threads: number): readonly (readonly number[])[] {
  const shares = Array.from({ length: threads }, (): number[] => []);
  const sum = (sets: readonly number[]) => sets.reduce((sum, set) => sum + rows[set]!, 0);
  for (const set of [...rows.keys()].sort((a, b) => rows[b]! - rows[a]!)) {
    const least = shares.reduce((one, other) => (sum(other) < sum(one) ? other : one));
    least.push(set);
  }
  return shares;
}
