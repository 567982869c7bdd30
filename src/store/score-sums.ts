/** Millionths of one: scores are added as whole numbers of them, which are exact in any order. */
export const MICROS = 1_000_000;
const EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/** A score in whole millionths, halves away from zero, as the engine of a lake in a folder rounds it. */
export function microsOf(score: number): bigint {
  const micros = score * MICROS;
  const whole = Math.trunc(micros);
  return BigInt(Math.abs(micros - whole) >= 0.5 ? whole + Math.sign(micros) : whole);
}

/** The number that millionths are: exactly where they are whole, and less than 2^53. */
export function scoreOf(micros: bigint): number {
  if (micros >= -EXACT && micros <= EXACT) return Number(micros) / MICROS;
  const whole = micros / BigInt(MICROS);
  return Number(whole) + Number(micros - whole * BigInt(MICROS)) / MICROS;
}
