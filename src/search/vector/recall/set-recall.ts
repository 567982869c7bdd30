import { z } from "zod";
import type { ScanWidth } from "../codes/column-codes.js";

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);

/** How a search finds candidates for exact scores. */
export const SearchStep = z.strictObject({
  /** `columns`: a scan of the codes of the query's heaviest dimensions; `graph`: HNSW graphs. */
  by: z.enum(["columns", "graph"]),
  /** Dimensions scanned; 0 of a graph. */
  breadth: count,
  /** How many of them by all bits of their codes, the others by the upper half; all, where it is absent. */
  fine: count.optional(),
  /** Candidates that are scored exactly, at most. */
  depth: count,
  /** Candidates of a run: scoring ends after runs that bring none among the hundred nearest. 0: all of them are scored. */
  run: count.default(0),
  /** After how many such runs in a row; one, where it is absent. */
  patience: count.optional(),
  /** Candidates that are scored on average, where this was measured. */
  scored: z.number().min(0).optional(),
});
export type SearchStep = Readonly<z.infer<typeof SearchStep>>;

/** What a step is known by: equal for steps that do the same, whatever they were measured to score. */
export function stepKey({ by, breadth, fine = breadth, depth, run, patience = 1 }: SearchStep): string {
  return `${by} ${breadth} ${fine} ${depth} ${run} ${patience}`;
}

/** What a step of columns scans. */
export function widthOf({ breadth, fine = breadth }: SearchStep): ScanWidth {
  return { breadth, fine };
}

/** Recall of a step. */
export const MeasuredStep = SearchStep.extend({
  /** Share of the exact top 10, and top 100, that is found at least: the lower end of a confidence interval of the sample's mean. */
  recall10: share,
  recall100: share,
});
export type MeasuredStep = Readonly<z.infer<typeof MeasuredStep>>;

/** Recall at one selectivity of a filter. */
export const RecallAtSelectivity = z.strictObject({
  selectivity: share,
  /** Rows that pass the filter. */
  rows: count,
  /**
   * The cheapest step of sufficient recall; where none suffices, the best one, and search is exact. Empty where
   * so few rows pass that all are scored exactly.
   */
  measured: z.array(MeasuredStep),
});
export type RecallAtSelectivity = Readonly<z.infer<typeof RecallAtSelectivity>>;

/** Recall of a vector set against exact search, measured on a sample of queries. */
export const SetRecall = z.strictObject({
  /** Number of queries. */
  queries: count,
  /** What the queries were: short pieces of the set's texts, or vectors of the set. */
  sample: z.enum(["texts", "vectors"]),
  /** By selectivity, least selective first. */
  recall: z.array(RecallAtSelectivity),
});
export type SetRecall = Readonly<z.infer<typeof SetRecall>>;
