import { SEARCH_DEFAULTS } from "../defaults.js";
import type { MeasuredStep, RecallAtSelectivity, SearchStep, SetRecall } from "./recall/set-recall.js";
import { rowsToKeep } from "./rows-to-keep.js";

const { dimensions } = SEARCH_DEFAULTS;
const { scans, depths, run, patiences, cost, graph, graphDepths } = SEARCH_DEFAULTS.vector;

/**
 * About what it takes to score so many rows of a set exactly, in ms of the machine that the constants were measured on. Of a set
 * that memory has no room for, some are read.
 * @param count rows of the set
 * @param width numbers of a vector that are stored
 */
export function exactCost(rows: number, count: number, width: number = dimensions): number {
  const kept = keptShare(count, width);
  return rows * (kept * cost.row + (1 - kept) * cost.readRow) * widthShare(width, cost.fixed.row);
}

function keptShare(count: number, width: number): number {
  return count === 0 ? 1 : rowsToKeep([count], width)[0]! / count;
}

/** What vectors of so many numbers take, as part of what those of all take. @param fixed the part that does not depend on them */
function widthShare(width: number, fixed: number): number {
  return fixed + ((1 - fixed) * width) / dimensions;
}

/** About what a step takes in a set of so many rows, each with so many numbers, in the same ms. */
export function stepCost(
  { by, breadth, fine = breadth, depth, scored = depth }: SearchStep,
  count: number,
  width: number = dimensions,
): number {
  if (by === "graph") return depth * graph.visits * cost.rowCodes + exactCost(scored, count, width);
  const kept = keptShare(count, width);
  const candidate = kept * cost.candidate + (1 - kept) * cost.readCandidate;
  const scoring = scored * candidate * widthShare(width, cost.fixed.candidate);
  return count * ((breadth + fine) * cost.bits + cost.sum) + depth * cost.rank + scoring;
}

/**
 * Whether the cheapest scan of a set of so many rows takes longer than the cheapest search of a graph of so many dimensions, whose nodes
 * stand anywhere in memory.
 */
export function scanOutlasts(count: number, dims: number): boolean {
  const depth = graphDepths[0];
  const node = cost.node + dims * cost.nodeDimension;
  const byGraph = depth * graph.visits * node + exactCost(depth, count);
  // The first run finds some, so there are two at least.
  return stepCost({ ...FIRST, scored: 2 * run }, count) > byGraph;
}

/** Decides how a set is searched, from the share of rows that pass the filter. */
export class SearchPlan {
  private readonly steps: readonly PlannedStep[];
  /** Rows of the set. */
  private readonly count: number;

  /** Creates a plan from the recall in the certificate, or with the first step without it. */
  constructor(recall?: SetRecall) {
    const measured = recall?.recall ?? [];
    const count = measured[0]?.rows ?? 0;
    this.steps = measured.map((entry) => ({
      selectivity: entry.selectivity,
      step: stepOf(entry),
      rows: entry.rows,
      isMeasured: entry.measured.length > 0,
    }));
    this.count = count;
  }

  /** Whether candidates are found by a graph: of all rows at least. */
  get usesGraph(): boolean {
    return this.steps[0]?.step?.by === "graph";
  }

  /**
   * The step for a share of rows: the one measured at that selectivity, or what the two neighbouring selectivities need
   * together. Where fewer rows are scored exactly because that takes no longer than the step of more rows, more than those few need not
   * be: that step serves them, made surer. Undefined: every row is scored exactly.
   * @param width numbers of a vector of the set that are stored
   */
  step(share: number, width?: number): SearchStep | undefined {
    const same = this.steps.find(({ selectivity }) => selectivity === share);
    if (same !== undefined) return same.step;
    const more = this.steps.findLast(({ selectivity }) => selectivity > share);
    const fewer = this.steps.find(({ selectivity }) => selectivity < share);
    const near = [more, fewer].filter((entry) => entry !== undefined);
    if (near.length === 0) return FIRST;
    if (fewer !== undefined && more?.step !== undefined && (fewer.step === undefined || !fewer.isMeasured)) {
      const exact = fewer.isMeasured ? exactCost(fewer.rows, this.count, width) : 0;
      if (exact <= stepCost(more.step, this.count, width)) return surer(more.step);
    }
    if (near.some(({ step }) => step === undefined)) return undefined;
    return near.map(({ step }) => step!).reduce(together);
  }
}

interface PlannedStep {
  readonly selectivity: number;
  /** Undefined: all rows are scored exactly. */
  readonly step: SearchStep | undefined;
  /** Rows that pass. */
  readonly rows: number;
  /** Whether a step was measured; not where so few rows pass that all are scored. */
  readonly isMeasured: boolean;
}

const FIRST: SearchStep = { by: "columns", ...scans[0], depth: depths[0], run };

/** Whether the cheapest of all steps takes less than to score so many rows of a set of `count`, each with so many numbers. */
export function outweighsScoring(rows: number, count: number, width: number): boolean {
  return stepCost(FIRST, count, width) < exactCost(rows, count, width);
}

/** Whether a certified recall reaches the required minimum. */
export function suffices(step: Recall): boolean {
  return reaches(step, SEARCH_DEFAULTS.certificate.leastRecall);
}

/** Whether a certified recall is as wanted, which is more than the required minimum. */
export function isWanted(step: Recall): boolean {
  return reaches(step, SEARCH_DEFAULTS.certificate.wantedRecall);
}

type Recall = Pick<MeasuredStep, "recall10" | "recall100">;

function reaches(
  { recall10, recall100 }: Recall,
  least: { readonly of10: number; readonly of100: number },
): boolean {
  return recall10 >= least.of10 && recall100 >= least.of100;
}

/** The step to take: the measured one if it suffices; the first where all rows are scored anyway. */
function stepOf({ measured }: RecallAtSelectivity): SearchStep | undefined {
  const last = measured.at(-1);
  if (last === undefined) return FIRST;
  if (!suffices(last)) return undefined;
  const { recall10, recall100, ...step } = last;
  return step;
}

/** A step that finds somewhat more. */
export function surer(step: SearchStep): SearchStep {
  if (step.run === 0) return { ...step, depth: step.depth * 2, scored: step.depth * 2 };
  const { patience = patiences[0] } = step;
  const longer = patiences.find((runs) => runs > patience);
  return longer === undefined ? { ...step, depth: step.depth * 2 } : { ...step, patience: longer };
}

/** A step that does what either does. */
function together(a: SearchStep, b: SearchStep): SearchStep {
  if (a.by === "graph" && b.by === "graph") return a.depth > b.depth ? a : b;
  if (a.by === "graph") return b;
  if (b.by === "graph") return a;
  const depth = Math.max(a.depth, b.depth);
  return {
    by: "columns",
    breadth: Math.max(a.breadth, b.breadth),
    fine: Math.max(a.fine ?? a.breadth, b.fine ?? b.breadth),
    depth,
    run: a.run === 0 || b.run === 0 ? 0 : Math.max(a.run, b.run),
    patience: Math.max(a.patience ?? 1, b.patience ?? 1),
    scored: Math.max(a.scored ?? depth, b.scored ?? depth),
  };
}
