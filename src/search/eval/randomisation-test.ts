const ROUNDS = 10_000;

/**
 * Two-sided paired randomisation test (Smucker, Allan, Carterette, CIKM 2007): the share of random exchanges of
 * the two systems' scores, by query, whose difference of means is at least the observed one. Deterministic: the
 * seed is fixed.
 * @returns the p-value; 1 without queries
 */
export function randomisationTest(a: readonly number[], b: readonly number[], rounds = ROUNDS): number {
  const differences = a.map((value, i) => value - b[i]!);
  const observed = Math.abs(differences.reduce((sum, d) => sum + d, 0));
  if (differences.length === 0 || observed === 0) return 1;
  let state = 0x9e3779b9;
  let as = 1;
  for (let round = 0; round < rounds; round += 1) {
    let sum = 0;
    for (const difference of differences) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      sum += state < 0 ? -difference : difference;
    }
    if (Math.abs(sum) >= observed - 1e-12) as += 1;
  }
  return as / (rounds + 1);
}
