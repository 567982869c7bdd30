import { outweighsScoring, suffices, together } from "../search-plan.js";
import type { MeasuredStep, RecallAtSelectivity, SetRecall } from "./set-recall.js";

/**
 * What is known of sets that are searched as one, from what was measured of each: at each selectivity the step that does what any of
 * them needs, and the least that one of them finds. Where a set's step does not suffice, that of all does not. A set whose rows were
 * all scored has no say. Undefined where nothing was measured.
 */
export function joinedRecall(sets: readonly (SetRecall | undefined)[]): SetRecall | undefined {
  const known = sets.filter((set) => set !== undefined);
  const [first] = known;
  if (first === undefined || known.length === 1) return first;
  const recall: RecallAtSelectivity[] = [];
  for (const { selectivity } of first.recall) {
    const same = known.flatMap((set) => set.recall.filter((entry) => entry.selectivity === selectivity));
    const rows = same.reduce((sum, entry) => sum + entry.rows, 0);
    const steps = joinedSteps(same);
    const [more] = recall.slice(-1);
    // So few rows of each set passed that all were scored, but those of all are more: then what was measured of more rows serves.
    const serves = steps.length === 0 && more !== undefined && outweighsScoring(rows, recall[0]!.rows);
    recall.push({ selectivity, rows, measured: serves ? more.measured : steps });
  }
  return { queries: known.reduce((sum, { queries }) => sum + queries, 0), sample: first.sample, recall };
}

function joinedSteps(entries: readonly RecallAtSelectivity[]): MeasuredStep[] {
  const steps = entries.flatMap(({ measured }) => measured.slice(-1));
  const short = steps.find((step) => !suffices(step));
  if (short !== undefined) return [short];
  const least = (of: "recall10" | "recall100") => Math.min(...steps.map((step) => step[of]));
  const joined = steps.reduce<MeasuredStep | undefined>(
    (all, step) => (all === undefined ? step : { ...step, ...together(all, step) }),
    undefined,
  );
  return joined === undefined
    ? []
    : [{ ...joined, recall10: least("recall10"), recall100: least("recall100") }];
}
