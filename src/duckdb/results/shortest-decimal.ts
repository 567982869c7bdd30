/** Decimal places that are tried by rounding, and the magnitudes of which a double holds the result exactly enough. */
const PLACES = 9;
const LEAST = 1e-3;
const GREATEST = 1e6;

/**
 * The shortest decimal that a number of single precision is the nearest one to: 0.1 for 0.10000000149011612. Nine digits tell all of
 * them apart (IEEE 754).
 */
export function shortestDecimal(single: number): number {
  if (Number.isInteger(single) && Math.abs(single) < 2 ** 24) return single;
  const magnitude = Math.abs(single);
  if (magnitude >= LEAST && magnitude < GREATEST) {
    for (let places = 1, scale = 10; places <= PLACES; places++, scale *= 10) {
      const decimal = Math.round(single * scale) / scale;
      if (Math.fround(decimal) === single) return decimal;
    }
  }
  for (let digits = 1; digits < PLACES; digits++) {
    const decimal = Number(single.toPrecision(digits));
    if (Math.fround(decimal) === single) return decimal;
  }
  return Number.isFinite(single) ? Number(single.toPrecision(PLACES)) : single;
}
