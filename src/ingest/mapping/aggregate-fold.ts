/** Contribution of one row to an aggregate: its value `v` and, for `top_by`, its rank `o`. JSON-safe. */
export interface Contribution {
  readonly v: unknown;
  readonly o?: number;
}

/** Folds contributions in order; `result` is undefined if there were none. */
export interface Fold {
  add(contribution: Contribution): void;
  result(): unknown;
}
