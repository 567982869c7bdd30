import { SEARCH_DEFAULTS } from "../../defaults.js";
import { outweighsScoring, suffices, surer } from "../search-plan.js";
import type { MeasuredStep, RecallAtSelectivity, SetRecall } from "./set-recall.js";

/** Stands where no step is known to find enough: all rows are scored. */
const UNKNOWN: MeasuredStep = { by: "columns", breadth: 0, depth: 0, run: 0, recall10: 0, recall100: 0 };

/**
 * How sets are searched as one, from what was measured of the largest: by its steps, made surer, since rows of others come between
 * those that its steps were measured to find.
 * @param sets rows of each, and what was measured of it
 * @param width numbers that are stored of the vectors that have most
 */
export function joinedRecall(
  sets: readonly { readonly rows: number; readonly recall: SetRecall | undefined }[],
  width: number = SEARCH_DEFAULTS.dimensions,
): SetRecall | undefined {
  const [largest] = sets.toSorted((a, b) => b.rows - a.rows);
  if (largest?.recall === undefined || sets.length === 1) return largest?.recall;
  const count = sets.reduce((sum, { rows }) => sum + rows, 0);
  const recall: RecallAtSelectivity[] = [];
  for (const { selectivity, measured } of largest.recall.recall) {
    const rows = Math.round(count * selectivity);
    const steps = measured.map((step) => (suffices(step) ? { ...step, ...surer(step) } : step));
    const [more] = recall.slice(-1);
    // So few rows of the largest passed that all were scored, but those of all are more: then what was measured of more rows serves.
    const lacks = steps.length === 0 && outweighsScoring(rows, count, width);
    recall.push({ selectivity, rows, measured: lacks ? (more?.measured ?? [UNKNOWN]) : steps });
  }
  return { ...largest.recall, recall };
}
