/** Rounds half away from zero to `places` decimal places. */
export function roundTo(value: number, places: number): number {
  const [digits, exponent = "0"] = Math.abs(value).toString().split("e");
  const scaled = Math.round(Number(`${digits}e${Number(exponent) + places}`));
  const [back, backExponent = "0"] = scaled.toString().split("e");
  const result = Number(`${back}e${Number(backExponent) - places}`);
  return value < 0 && result !== 0 ? -result : result;
}
