import { LakeError } from "../contract/errors.js";
import { Sha256, type SliceManifest } from "../contract/slice/slice-manifest.js";
import { supersededRoots as rootsSuperseded } from "../slice/superseded-roots.js";
import { type Load, loadList } from "./committed-loads.js";

/** Roots of the slices of some loads that other slices of theirs supersede. */
export function supersededRoots(loads: readonly Pick<Load, "slices">[]): ReadonlySet<string> {
  const slices = loads.flatMap((load) => load.slices);
  const superseded = rootsSuperseded(slices.map(({ mirrorlake }) => mirrorlake));
  return new Set(slices.map(rootOf).filter((root) => superseded.has(root)));
}

/** The slices of some loads that none of theirs supersedes. */
export function countingSlices(loads: readonly Pick<Load, "slices">[]): SliceManifest[] {
  const superseded = supersededRoots(loads);
  return loads.flatMap(({ slices }) => slices).filter((slice) => !superseded.has(rootOf(slice)));
}

/** The loads that have a slice which none of theirs supersedes. The rows of others count no more. */
export function countingLoads(loads: readonly Load[]): Load[] {
  const superseded = supersededRoots(loads);
  return loads.filter(({ slices }) => slices.some((slice) => !superseded.has(rootOf(slice))));
}

/** SQL that a row of `records` or `raw` is of a slice which none of the loads supersedes: every edition that a lake in a folder has. */
export function ofCountingSlices(loads: readonly Load[]): string {
  const counting = countingLoads(loads);
  const superseded = supersededRoots(loads);
  const gone = counting.flatMap(({ slices }) => slices.map(rootOf)).filter((root) => superseded.has(root));
  const rows = `load IN (${loadList(counting)})`;
  return gone.length === 0 ? rows : `${rows} AND root NOT IN (${rootList(gone)})`;
}

/**
 * Roots as they stand in SQL: they are hexadecimal digits, too many for parameters.
 * @throws LakeError `cluster_damaged` for anything else, which the table of loads may have from elsewhere
 */
export function rootList(roots: Iterable<string>): string {
  return Array.from(roots, (root) => `'${checkedRoot(root)}'`).join(", ") || "''";
}

function checkedRoot(root: string): string {
  if (Sha256.safeParse(root).success) return root;
  throw new LakeError("cluster_damaged", "A slice of the table loads has a root that is no SHA-256", {
    value: root,
    remedy: "Install the slices again into an empty database.",
  });
}

function rootOf({ mirrorlake }: SliceManifest): string {
  return mirrorlake.root;
}
