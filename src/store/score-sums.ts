/** Millionths of one: scores are added as whole numbers of them, which are exact in any order. */
export const MICROS = 1_000_000;
const EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/** A score in whole millionths, halves away from zero, as the engine of a lake in a folder rounds it. */
export function microsOf(score: number): bigint {
  const micros = score * MICROS;
  const whole = Math.trunc(micros);
  return BigInt(Math.abs(micros - whole) >= 0.5 ? whole + Math.sign(micros) : whole);
}

/** SQL of DuckDB: the sum of the column `score` as {@link scoreOfText} reads it. As a number it would be another in its last digit, far below zero. */
export const SCORE_SUM = "sum(score::DECIMAL(38, 6))::VARCHAR";

/** The number of a sum as an engine writes it, with six digits after the point. */
export function scoreOfText(sum: string): number {
  return scoreOf(BigInt(sum.replace(".", "")));
}

/** The number that millionths are: exactly where they are whole, and less than 2^53. */
export function scoreOf(micros: bigint): number {
  if (micros >= -EXACT && micros <= EXACT) return Number(micros) / MICROS;
  const whole = micros / BigInt(MICROS);
  return Number(whole) + Number(micros - whole * BigInt(MICROS)) / MICROS;
}
