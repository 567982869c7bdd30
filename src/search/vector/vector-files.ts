/** File names in a vector set's folder. */
export const VECTOR_FILES = {
  manifest: "set.json",
  vectors: "vectors.f32",
  byteVectors: "vectors.i8",
  mean: "mean.f32",
  deviation: "deviation.f32",
  /** Queries that recall is measured with, 1536 32-bit floats each, where they were made from texts. */
  queries: "queries.f32",
  /** Rows with words of these queries, as many integers of 32 bits for each of them as there are hints; then no row. */
  hints: "query-hints.u32",
  graph: "graph.hnsw",
  /** Pairs of the row of a node of the graph and that of an equal vector; 32-bit integers. */
  graphTwins: "graph-twins.u32",
} as const;
