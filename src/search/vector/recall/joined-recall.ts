import { outweighsScoring, suffices, surer } from "../search-plan.js";
import type { RecallAtSelectivity, SetRecall } from "./set-recall.js";

/**
 * How sets are searched as one, from what was measured of the largest: by its steps, made surer, since rows of others come between
 * those that its steps were measured to find.
 * @param sets rows of each, and what was measured of it
 */
export function joinedRecall(
  sets: readonly { readonly rows: number; readonly recall: SetRecall | undefined }[],
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
    const serves = steps.length === 0 && more !== undefined && outweighsScoring(rows, count);
    recall.push({ selectivity, rows, measured: serves ? more.measured : steps });
  }
  return { ...largest.recall, recall };
}
