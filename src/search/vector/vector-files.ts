/** File names in a vector set's folder. */
export const VECTOR_FILES = {
  manifest: "set.json",
  vectors: "vectors.f32",
  byteVectors: "vectors.i8",
  mean: "mean.f32",
  deviation: "deviation.f32",
  codes: "codes.bin",
  /** Queries that recall is measured with, 1536 32-bit floats each, where they were made from texts. */
  queries: "queries.f32",
  basis: "basis.f32",
} as const;
