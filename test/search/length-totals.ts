import type { LengthTotals } from "../../src/search/keyword/ranking/typical-length.js";

/** The sums over documents of these lengths. */
export function totalsOf(lengths: readonly number[]): LengthTotals {
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const [length, squares] = [sum(lengths), sum(lengths.map((value) => value * value))];
  const from = (share: number) => lengths.filter((value) => value * length >= share * squares);
  const [long, longest] = [from(0.45), from(1)];
  return {
    documents: lengths.length,
    length,
    squares,
    longDocuments: long.length,
    longLength: sum(long),
    longestDocuments: longest.length,
    longestLength: sum(longest),
  };
}
