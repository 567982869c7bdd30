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

/**
 * The roots that slices offered to a lake leave superseded. They supersede what the lake holds as they do each other, but for slices cut from
 * held ones by age alone: such a cut has nothing that the lake lacks, so it is itself left out.
 */
export function supersededOnInstall(
  held: readonly Lineage[],
  offered: readonly Lineage[],
): ReadonlySet<string> {
  const there = new Set(held.map(({ root }) => root));
  const isLess = ({ root, cutFrom }: Lineage) =>
    !there.has(root) && cutFrom?.byAgeFrom?.some((from) => there.has(from)) === true;
  return new Set([
    ...supersededRoots([...held, ...offered.filter((slice) => !isLess(slice))]),
    ...offered.filter(isLess).map(({ root }) => root),
  ]);
}

/**
 * Whether a slice of a lake that was cut by age gives way to slices that are offered, it being none of them: it was cut from one of them,
 * which brings the older items back.
 */
export function givesWay({ root, supersedes, cutFrom }: Lineage, offered: readonly Lineage[]): boolean {
  if (cutFrom?.byAge !== true || offered.some((slice) => slice.root === root)) return false;
  return offered.some((slice) => supersedes.includes(slice.root) && publishedRoot(slice) === cutFrom.root);
}

/** The root of a slice as it was published, before a lake cut it. */
export function publishedRoot({ root, cutFrom }: Pick<Lineage, "root" | "cutFrom">): string {
  return cutFrom?.root ?? root;
}
