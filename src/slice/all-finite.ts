/** Whether every number of a vector is finite. A finite number times zero is 0; NaN and the infinities give NaN. */
export function allFinite(values: Float32Array): boolean {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]! * 0;
  return sum === 0;
}
