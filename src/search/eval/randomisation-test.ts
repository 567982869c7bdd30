const ROUNDS = 10_000;

/**
 * Two-sided paired randomisation test (Smucker, Allan, Carterette, CIKM 2007): how often a random exchange of the two
 * systems' scores, query by query, gives a difference of means at least as large as the one seen. Deterministic: the
 * exchanges come from a fixed seed.
 *
 * @returns the p-value; 1 where there are no queries
 */
export function randomisationTest(a: readonly number[], b: readonly number[], rounds = ROUNDS): number {
  const differences = a.map((value, i) => value - b[i]!);
  const seen = Math.abs(differences.reduce((sum, d) => sum + d, 0));
  if (differences.length === 0 || seen === 0) return 1;
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
    if (Math.abs(sum) >= seen - 1e-12) as += 1;
  }
  return as / (rounds + 1);
}
