import type { IndexMethod } from "./index-method.js";
import type { ShareRecall } from "./measure-recall.js";
import { exactCost, stepCost, suffices } from "./search-plan.js";
import type { MeasuredStep, RecallAtSelectivity, SetRecall } from "./set-recall.js";

/** Combines recall measured on shares of a sample: all steps, each with its mean over the queries. */
export function combineShares(shares: readonly ShareRecall[]): SetRecall {
  const queries = shares.reduce((sum, share) => sum + share.queries, 0);
  const recall = shares[0]!.recall.map(({ selectivity, rows, steps }, at) => {
    const measured = steps.map(({ step }, s): MeasuredStep => {
      const mean = (of: "found10" | "found100") => {
        const sum = shares.reduce((total, share) => total + share.recall[at]!.steps[s]![of], 0);
        return Math.round((sum / queries) * 1e6) / 1e6;
      };
      return { ...step, recall10: mean("found10"), recall100: mean("found100") };
    });
    return { selectivity, rows, measured };
  });
  return { queries, sample: shares[0]!.sample, recall };
}

/**
 * Keeps the step to take at each selectivity, of all that were measured of a set of so many rows: by `hnsw` one of graphs where
 * one suffices.
 */
export function chooseSteps(
  { recall, ...sample }: SetRecall,
  count: number,
  method: IndexMethod = "auto",
): SetRecall {
  return {
    ...sample,
    recall: recall.map((entry) => ({ ...entry, measured: chooseStep(entry, count, method) })),
  };
}

/**
 * The cheapest step of sufficient recall that costs less than exact scores; where there is none, the best of them, which then
 * tells why search is exact.
 */
function chooseStep(
  { rows, measured }: RecallAtSelectivity,
  count: number,
  method: IndexMethod,
): MeasuredStep[] {
  const graphs = method === "hnsw" ? measured.filter((step) => step.by === "graph" && suffices(step)) : [];
  const worthwhile = (graphs.length > 0 ? graphs : measured)
    .filter((step) => stepCost(step, count) < exactCost(rows))
    .toSorted((a, b) => stepCost(a, count) - stepCost(b, count));
  const least = (step: MeasuredStep) => Math.min(step.recall10, step.recall100);
  const chosen = worthwhile.find(suffices) ?? worthwhile.toSorted((a, b) => least(b) - least(a))[0];
  return chosen === undefined ? [] : [chosen];
}
