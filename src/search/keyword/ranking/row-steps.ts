/** Rows from `from` to before `to`. */
export interface RowStep {
  readonly from: number;
  readonly to: number;
}

/** Rows that are measured at a time: a millisecond or two. */
const ROWS_A_STEP = 131_072;

/** Divides the rows of a segment among steps. */
export function* rowSteps(rows: number): Generator<RowStep, void> {
  for (let from = 0; from < rows; from += ROWS_A_STEP) yield { from, to: Math.min(rows, from + ROWS_A_STEP) };
}
