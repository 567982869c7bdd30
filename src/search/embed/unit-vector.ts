import { SEARCH_DEFAULTS } from "../defaults.js";

/** Normalises a vector to unit length; squares are summed in order in double precision. Zeros stay zeros. */
export function toUnit(vector: Float32Array): Float32Array {
  const length = lengthOf(vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

/**
 * A vector of the same direction and of unit length, so that inner products are cosines: the vector itself where its length is 1 but
 * for rounding, a new one otherwise. Zeros stay zeros.
 */
export function unitOf(vector: Float32Array): Float32Array {
  return Math.abs(lengthOf(vector) - 1) <= SEARCH_DEFAULTS.vector.unitError ? vector : toUnit(vector);
}

function lengthOf(vector: Float32Array): number {
  let square = 0;
  for (let i = 0; i < vector.length; i += 1) square += vector[i]! * vector[i]!;
  return Math.sqrt(square);
}
