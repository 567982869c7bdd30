import type { SliceFacts } from "../contract/slice/slice-manifest.js";

/** What says which slice takes the place of which. */
export type Lineage = Pick<SliceFacts, "root" | "supersedes" | "cutFrom">;

/**
 * The roots that some slices supersede: those that they name, and of these slices what a lake cut from one that another edition names. The
 * order of the slices does not matter.
 */
export function supersededRoots(slices: readonly Lineage[]): ReadonlySet<string> {
  const named = new Set(slices.flatMap(({ supersedes }) => supersedes));
  const byOthers = new Set(
    slices.flatMap((slice) => slice.supersedes.filter((root) => root !== publishedRoot(slice))),
  );
  const cut = slices.filter(({ cutFrom }) => cutFrom !== undefined && byOthers.has(cutFrom.root));
  return new Set([...named, ...cut.map(({ root }) => root)]);
}

/** The root of a slice as it was published, before a lake cut it. */
export function publishedRoot({ root, cutFrom }: Pick<Lineage, "root" | "cutFrom">): string {
  return cutFrom?.root ?? root;
}
