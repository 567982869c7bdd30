/** Files of a vector set's folder. */
export const VECTOR_FILES = {
  manifest: "set.json",
  vectors: "vectors.f32",
  mean: "mean.f32",
  deviation: "deviation.f32",
  sketches: "sketches.bin",
  codes: "codes.bin",
  basis: "basis.f32",
} as const;
