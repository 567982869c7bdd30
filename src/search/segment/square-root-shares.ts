/** A group that a sample is drawn from. */
export interface SampledGroup {
  /** Its members. */
  readonly count: number;
  /** Most of them that the sample can have. */
  readonly most: number;
}

/**
 * Divides a sample among groups in proportion to the square roots of their counts (power allocation, Bankier 1988), so that it says
 * something of small groups, too; rounded by the method of Sainte-Laguë. Equal claims are met in the order of the groups.
 * @returns how much of the sample each group gets: all of `total`, where the groups have that many
 */
export function squareRootShares(groups: readonly SampledGroup[], total: number): number[] {
  const roots = groups.map(({ count }) => Math.sqrt(count));
  const shares = groups.map(() => 0);
  for (let given = 0; given < total; given += 1) {
    let next: number | undefined;
    let largest = 0;
    for (const [i, { most }] of groups.entries()) {
      const claim = shares[i]! < most ? roots[i]! / (2 * shares[i]! + 1) : 0;
      if (claim <= largest) continue;
      largest = claim;
      next = i;
    }
    if (next === undefined) break;
    shares[next]! += 1;
  }
  return shares;
}
