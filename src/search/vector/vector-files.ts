/** File names in a vector set's folder. */
export const VECTOR_FILES = {
  manifest: "set.json",
  vectors: "vectors.f32",
  mean: "mean.f32",
  deviation: "deviation.f32",
  binaryCodes: "sketches.bin",
  codes: "codes.bin",
  basis: "basis.f32",
} as const;
