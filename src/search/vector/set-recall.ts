import { z } from "zod";

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);

/** Recall of a search at one depth. */
export const RecallAtDepth = z.strictObject({
  /** Candidates that were reranked. */
  depth: count,
  /** Share of the exact top 10, and top 100, that was found; means over the sample. */
  recall10: share,
  recall100: share,
});
export type RecallAtDepth = Readonly<z.infer<typeof RecallAtDepth>>;

/** Recall at one selectivity of a filter. */
export const RecallAtSelectivity = z.strictObject({
  selectivity: share,
  /** Rows that pass the filter. */
  rows: count,
  /**
   * Measurements at doubling depths, until one suffices. Empty where so few rows pass that all are scored
   * exactly.
   */
  measured: z.array(RecallAtDepth),
});
export type RecallAtSelectivity = Readonly<z.infer<typeof RecallAtSelectivity>>;

/** Recall of a vector set against exact search, measured on a sample of its own vectors. */
export const SetRecall = z.strictObject({
  /** Number of query vectors. */
  queries: count,
  /** By selectivity, least selective first. */
  recall: z.array(RecallAtSelectivity),
});
export type SetRecall = Readonly<z.infer<typeof SetRecall>>;
