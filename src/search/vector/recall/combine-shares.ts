import { SEARCH_DEFAULTS } from "../../defaults.js";
import { exactCost, isWanted, stepCost, suffices } from "../search-plan.js";
import type { ShareRecall, StepHits } from "./measure-recall.js";
import {
  type MeasuredStep,
  type RecallAtSelectivity,
  type SearchStep,
  type SetRecall,
  stepKey,
} from "./set-recall.js";

/** What the cost of a set's steps depends on. */
export interface SetSize {
  /** Its rows. */
  readonly count: number;
  /** Numbers of a vector that are stored; default: all. */
  readonly width?: number | undefined;
}

/**
 * Combines recall measured on shares of a sample: the steps that all shares measured, each with what it finds at least
 * ({@link leastMean}) and the mean of what it scores.
 */
export function combineShares(shares: readonly ShareRecall[]): SetRecall {
  const queries = shares.reduce((sum, share) => sum + share.queries, 0);
  const recall = shares[0]!.recall.map(({ selectivity, rows, steps }, at) => {
    const measured = steps.flatMap(({ step }): MeasuredStep[] => {
      const found = shares.map((share) => share.recall[at]!.steps.find((hits) => sameStep(hits.step, step)));
      if (!found.every((hits) => hits !== undefined)) return [];
      const sum = (of: Exclude<keyof StepHits, "step">) => found.reduce((all, hits) => all + hits[of], 0);
      const least = (of: 10 | 100) => rounded(leastMean(sum(`found${of}`), sum(`squares${of}`), queries));
      return [
        { ...step, scored: rounded(sum("scored") / queries), recall10: least(10), recall100: least(100) },
      ];
    });
    return { selectivity, rows, measured };
  });
  return { queries, sample: shares[0]!.sample, recall };
}

const { spare } = SEARCH_DEFAULTS.certificate;

const leastOf = ({ recall10, recall100 }: MeasuredStep) => Math.min(recall10, recall100);

const rounded = (value: number) => Math.round(value * 1e6) / 1e6;

/**
 * The mean that shares, each between 0 and 1, have at least by a sample of them: the lower end of the one-sided confidence interval of
 * the normal approximation, of the level that {@link SEARCH_DEFAULTS}.certificate names.
 * @param sum of the shares of the sample
 * @param squares sum of their squares
 */
export function leastMean(sum: number, squares: number, count: number): number {
  if (count === 0) return 0;
  const mean = sum / count;
  const variance = count === 1 ? 0 : Math.max(0, squares - count * mean * mean) / (count - 1);
  return Math.max(0, mean - SEARCH_DEFAULTS.certificate.deviations * Math.sqrt(variance / count));
}

/**
 * Whether wider scans than the first `done` ones cannot be chosen ({@link chooseSteps}) at any selectivity: each costs more than
 * what a step of the wanted recall costs, with something to spare, or than exact scores.
 */
export function isConclusive({ recall }: SetRecall, { count, width }: SetSize, done: number): boolean {
  const { scans, depths, run } = SEARCH_DEFAULTS.vector;
  if (done === 0) return false;
  // A graph has its breadths measured at once.
  if (recall.some(({ measured }) => measured.some(({ by }) => by === "graph"))) return true;
  const scan = scans[done];
  if (scan === undefined) return true;
  // The first run finds some, so there are two at least.
  const next = stepCost({ by: "columns", ...scan, depth: depths[0], run, scored: 2 * run }, count, width);
  return recall.every(({ rows, measured }) => {
    // Where all rows are scored there is nothing to choose.
    if (measured.length === 0 || next >= exactCost(rows, count, width)) return true;
    return measured.some((step) => isWanted(step) && stepCost(step, count, width) + spare < next);
  });
}

/** Whether two steps are the same. */
export function sameStep(a: SearchStep, b: SearchStep | undefined): boolean {
  return b !== undefined && stepKey(a) === stepKey(b);
}

/** Keeps the step to take at each selectivity, of all that were measured of a set. */
export function chooseSteps({ recall, ...sample }: SetRecall, size: SetSize): SetRecall {
  return {
    ...sample,
    recall: recall.map((entry) => ({ ...entry, measured: chooseStep(entry, size) })),
  };
}

/** Whether a graph was measured that finds enough at every selectivity. */
export function graphSuffices({ recall }: SetRecall): boolean {
  return (
    recall[0]?.measured[0]?.by === "graph" &&
    recall.every(({ measured }) => measured.length === 0 || measured.some(suffices))
  );
}

/**
 * The cheapest step of the wanted recall that costs less than exact scores, or one that finds more and takes little more; or else the
 * cheapest of sufficient recall; where there is none, the best of them, which then tells why search is exact.
 */
function chooseStep({ rows, measured }: RecallAtSelectivity, { count, width }: SetSize): MeasuredStep[] {
  const costOf = (step: SearchStep) => stepCost(step, count, width);
  const worthwhile = measured
    .filter((step) => costOf(step) < exactCost(rows, count, width))
    .toSorted((a, b) => costOf(a) - costOf(b));
  const best = (steps: readonly MeasuredStep[]) => steps.toSorted((a, b) => leastOf(b) - leastOf(a))[0];
  const wanted = worthwhile.filter(isWanted);
  const affordable = wanted.filter((step) => costOf(step) <= costOf(wanted[0]!) + spare);
  const chosen = best(affordable) ?? worthwhile.find(suffices) ?? best(worthwhile);
  return chosen === undefined ? [] : [chosen];
}
