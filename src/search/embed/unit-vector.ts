/** Normalises a vector to unit length; squares are summed in order in double precision. Zeros stay zeros. */
export function toUnit(vector: Float32Array): Float32Array {
  let square = 0;
  for (let i = 0; i < vector.length; i += 1) square += vector[i]! * vector[i]!;
  return square === 0 ? vector : vector.map((value) => value / Math.sqrt(square));
}
