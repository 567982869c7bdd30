/** Most features of a batch. */
export const BATCH_FEATURES = 2048;

/** Takes the sums of features in the order of the features, a batch at a time. */
export interface SumSink {
  /** Takes a row of floats for each of at most {@link BATCH_FEATURES} features; they are valid during the call. */
  write(sums: Float32Array): void;
}
