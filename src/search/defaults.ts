/** Every tunable number of the search layer, each chosen by measurement (scripts/bench/RESULTS.md). */
export const SEARCH_DEFAULTS = {
  /** Numbers in a stored vector. */
  dimensions: 1536,
  /** BM25 term-frequency saturation and length normalisation (Robertson and Zaragoza 2009). */
  k1: 1.2,
  b: 0.75,
  /** How much one occurrence in a field counts. */
  fieldWeights: { title: 2, text: 1, entities: 1, comment_thread: 1, review_sample: 1 },
  /** Reciprocal rank fusion: constant, and weights of the two rankings (Cormack, Clarke, Büttcher 2009). */
  rrfConstant: 60,
  keywordWeight: 1,
  semanticWeight: 1,
  /** Depth of each ranking that is fused. */
  fusionDepth: 300,
} as const;
