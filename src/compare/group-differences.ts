import type { Difference } from "./difference.js";

/** A difference with the call in which it was found. */
export interface FoundDifference extends Difference {
  readonly endpoint: string;
}

/** Equal differences of an endpoint, counted. */
export interface DifferenceGroup extends FoundDifference {
  /** Number of calls; `local` and `remote` are those of the first. */
  readonly calls: number;
}

/** Groups differences by endpoint, kind and path, most calls first. */
export function groupDifferences(found: readonly FoundDifference[]): DifferenceGroup[] {
  const groups = new Map<string, DifferenceGroup>();
  for (const difference of found) {
    const key = `${difference.endpoint} ${difference.kind} ${difference.path}`;
    const known = groups.get(key);
    groups.set(key, { ...(known ?? difference), calls: (known?.calls ?? 0) + 1 });
  }
  return [...groups.entries()]
    .sort((a, b) => b[1].calls - a[1].calls || (a[0] < b[0] ? -1 : 1))
    .map(([, group]) => group);
}
