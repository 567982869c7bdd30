/** Defaults of the metrics. */
export const METRICS_DEFAULTS = {
  /** Upper bounds of durations, seconds: of a call, and of its stages. */
  callSeconds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  stageSeconds: [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60],
  /** Interval at which the delay of the event loop is measured, ms. */
  loopSampleMs: 20,
} as const;
