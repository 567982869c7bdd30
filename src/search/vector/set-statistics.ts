import type { ThreadOptions } from "../../threads/run-tasks.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { runTasks } from "../worker-tasks.js";
import type { RowSums, RowsTask } from "./codes/sum-rows.js";

const FULL = SEARCH_DEFAULTS.dimensions;
/** Codes use a multiple of this many dimensions. */
const STEP = 32;

/** Statistics that define the codes of a set. */
export interface SetStatistics {
  /** Used dimensions, a multiple of 32; all later ones are zero in every vector. */
  readonly dims: number;
  /** Mean and standard deviation of each used dimension. */
  readonly mean: Float32Array;
  readonly deviation: Float32Array;
}

/**
 * Computes the statistics in one pass. Sums are in double precision, in row order within a task and then in
 * task order, so the same tasks give the same bits.
 */
export async function setStatistics(
  tasks: readonly RowsTask[],
  options: ThreadOptions,
): Promise<SetStatistics> {
  const parts = await runTasks("sumRows", tasks, options);
  const count = Math.max(
    1,
    tasks.reduce((sum, { rows }) => sum + rows, 0),
  );
  const sums = total(parts, "sums");
  const squares = total(parts, "squares");
  const used = 1 + squares.findLastIndex((sum) => sum > 0);
  const dims = Math.max(STEP, Math.ceil(used / STEP) * STEP);
  const mean = Float32Array.from(sums.subarray(0, dims), (sum) => sum / count);
  const deviation = Float32Array.from(squares.subarray(0, dims), (sum, i) =>
    Math.sqrt(Math.max(0, sum / count - mean[i]! ** 2)),
  );
  return { dims, mean, deviation };
}

function total(parts: readonly RowSums[], name: keyof RowSums): Float64Array {
  const all = new Float64Array(FULL);
  for (const part of parts) for (let i = 0; i < FULL; i += 1) all[i]! += part[name][i]!;
  return all;
}
