/** Whether every number of a vector is finite. Any number but NaN and the infinities gives 0 times zero, and those give NaN. */
export function allFinite(values: Float32Array): boolean {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]! * 0;
  return sum === 0;
}
