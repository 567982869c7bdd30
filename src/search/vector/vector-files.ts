/** File names in a vector set's folder. */
export const VECTOR_FILES = {
  manifest: "set.json",
  vectors: "vectors.f32",
  byteVectors: "vectors.i8",
  mean: "mean.f32",
  deviation: "deviation.f32",
  /** Queries that recall is measured with, 1536 32-bit floats each, where they were made from texts. */
  queries: "queries.f32",
  basis: "basis.f32",
  /** Row by node of the graphs, and pairs of a node's row and that of an equal vector; 32-bit integers. */
  graphRows: "graph-rows.u32",
  graphTwins: "graph-twins.u32",
} as const;
