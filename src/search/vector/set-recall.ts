import { z } from "zod";

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);

/** Recall of a search at one depth. */
export const RecallAtDepth = z.strictObject({
  /** Candidates that were re-ranked. */
  depth: count,
  /** Share of the exact first 10, and first 100, that were found; means over the sample. */
  recall10: share,
  recall100: share,
});
export type RecallAtDepth = Readonly<z.infer<typeof RecallAtDepth>>;

/** Recall where a filter lets some share of the rows through. */
export const RecallAtSelectivity = z.strictObject({
  selectivity: share,
  /** Rows that it lets through here. */
  rows: count,
  /** Depth after depth, each twice the one before, until one suffices. Empty where so few rows are scored one and all. */
  measured: z.array(RecallAtDepth),
});
export type RecallAtSelectivity = Readonly<z.infer<typeof RecallAtSelectivity>>;

/** Recall of a vector set against exact search, measured on a sample of its own vectors. */
export const SetRecall = z.strictObject({
  /** Vectors that were looked for. */
  queries: count,
  /** By selectivity, the least selective first. */
  recall: z.array(RecallAtSelectivity),
});
export type SetRecall = Readonly<z.infer<typeof SetRecall>>;
