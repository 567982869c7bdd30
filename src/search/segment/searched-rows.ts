import type { NearestSearch } from "../vector/nearest-search.js";

/** A search of the vectors of adjacent segments. */
export interface SearchedRows {
  /** The first of its rows in the index. */
  readonly first: number;
  readonly count: number;
  readonly search: NearestSearch;
}

/** The rows of a search among those of the index, in any order, counted from its first. */
export function hintsWithin(
  { first, count, search }: SearchedRows,
  rows: readonly number[],
): Uint32Array | undefined {
  if (!search.takesHints) return undefined;
  const own = rows.filter((row) => row >= first && row < first + count);
  return Uint32Array.from(own, (row) => row - first);
}
