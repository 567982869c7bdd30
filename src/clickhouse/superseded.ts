import { LakeError } from "../contract/errors.js";
import { Sha256, type SliceManifest } from "../contract/slice/slice-manifest.js";
import { givesWay, type Lineage, supersededRoots as rootsSuperseded } from "../slice/superseded-roots.js";
import { type Load, loadList } from "./committed-loads.js";

/** Loads as far as it follows from them which of their slices count. */
export type SliceLoads = readonly Pick<Load, "id" | "slices">[];

/** Roots of the slices of some loads that other slices of theirs supersede, or that gave way to slices of later ones. */
export function supersededRoots(loads: SliceLoads): ReadonlySet<string> {
  const slices = loads.flatMap((load) => load.slices);
  const gone = goneRoots(loads);
  const superseded = rootsSuperseded(slices.filter((slice) => !gone.has(rootOf(slice))).map(lineageOf));
  return new Set(slices.map(rootOf).filter((root) => gone.has(root) || superseded.has(root)));
}

/** Roots of the slices that were cut by age, and gave way to slices of a load that came after the last one with them. */
export function goneRoots(loads: SliceLoads): ReadonlySet<string> {
  const last = lastLoads(loads);
  const cut = loads.flatMap(({ id, slices }) =>
    slices.filter((slice) => slice.mirrorlake.cutFrom?.byAge === true && last.get(rootOf(slice)) === id),
  );
  const gone = cut.filter((slice) =>
    loads.some(
      ({ id, slices }) => id > last.get(rootOf(slice))! && givesWay(lineageOf(slice), slices.map(lineageOf)),
    ),
  );
  return new Set(gone.map(rootOf));
}

/** The slices of some loads that none of theirs supersedes. */
export function countingSlices(loads: SliceLoads): SliceManifest[] {
  const counts = countsAmong(loads);
  return loads.flatMap((load) => load.slices.filter((slice) => counts(load, slice)));
}

/** The loads that have a slice which counts. The rows of others count no more. */
export function countingLoads<T extends SliceLoads[number]>(loads: readonly T[]): T[] {
  const counts = countsAmong(loads);
  return loads.filter((load) => load.slices.some((slice) => counts(load, slice)));
}

/** SQL that a row of `records` or `raw` is of a slice which counts: every edition that a lake in a folder has. */
export function ofCountingSlices(loads: readonly Load[]): string {
  const counts = countsAmong(loads);
  const counting = countingLoads(loads);
  const superseded = supersededRoots(loads);
  const gone = counting.flatMap(({ slices }) => slices.map(rootOf)).filter((root) => superseded.has(root));
  const parts = [`load IN (${loadList(counting)})`];
  if (gone.length > 0) parts.push(`root NOT IN (${rootList(gone)})`);
  for (const load of counting) {
    const again = load.slices.filter((slice) => !superseded.has(rootOf(slice)) && !counts(load, slice));
    if (again.length > 0) parts.push(`NOT (load = ${load.id} AND root IN (${rootList(again.map(rootOf))}))`);
  }
  return parts.join(" AND ");
}

/** Whether a slice of a load counts: it is not superseded, and of loads with the same slice, which came back, the load is the last. */
function countsAmong(loads: SliceLoads): (load: SliceLoads[number], slice: SliceManifest) => boolean {
  const [superseded, last] = [supersededRoots(loads), lastLoads(loads)];
  return ({ id }, slice) => !superseded.has(rootOf(slice)) && last.get(rootOf(slice)) === id;
}

/** The last load with a slice, by its root. */
function lastLoads(loads: SliceLoads): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const { id, slices } of loads)
    for (const root of slices.map(rootOf)) last.set(root, Math.max(id, last.get(root) ?? 0));
  return last;
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

function lineageOf({ mirrorlake }: SliceManifest): Lineage {
  return mirrorlake;
}
