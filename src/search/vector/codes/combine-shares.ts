import { suffices } from "../search-plan.js";
import type { RecallAtDepth, SetRecall } from "../set-recall.js";

/**
 * Combines recall measured on shares of a sample. A share that stopped at a sufficient depth counts with that
 * recall at larger depths.
 */
export function combineShares(shares: readonly SetRecall[]): SetRecall {
  const queries = shares.reduce((sum, share) => sum + share.queries, 0);
  const recall = shares[0]!.recall.map(({ selectivity, rows }, at) => {
    const lists = shares.map(({ recall }) => recall[at]!.measured);
    const longest = lists.reduce((a, b) => (b.length > a.length ? b : a));
    const measured: RecallAtDepth[] = [];
    for (const [i, { depth }] of longest.entries()) {
      const mean = (of: "recall10" | "recall100") =>
        lists.reduce((sum, list, s) => sum + shares[s]!.queries * (list[i] ?? list.at(-1)!)[of], 0) / queries;
      const [recall10, recall100] = [mean("recall10"), mean("recall100")].map(
        (r) => Math.round(r * 1e6) / 1e6,
      );
      measured.push({ depth, recall10: recall10!, recall100: recall100! });
      if (suffices(measured.at(-1)!)) break;
    }
    return { selectivity, rows, measured };
  });
  return { queries, recall };
}
