import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { givesWay, supersededOnInstall } from "../../slice/superseded-roots.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { countingSlices, goneRoots, type SliceLoads } from "../superseded.js";

/** The slices that count in none of a lake's loads, and that none of these or of its own supersedes. */
export function freshOf(found: readonly SourceSlice[], loads: SliceLoads): SourceSlice[] {
  const counting = new Set(countingSlices(loads).map(rootOf));
  const superseded = supersededBy(found, loads);
  return found.filter(({ manifest }) => !counting.has(rootOf(manifest)) && !superseded.has(rootOf(manifest)));
}

/** The roots that are superseded once a lake has been offered some slices, or that give way to them. */
export function supersededBy(found: readonly SourceSlice[], loads: SliceLoads): ReadonlySet<string> {
  const offered = found.map(({ manifest }) => manifest.mirrorlake);
  const gone = goneRoots(loads);
  const held = loads
    .flatMap(({ slices }) => slices.map(({ mirrorlake }) => mirrorlake))
    .filter(({ root }) => !gone.has(root));
  const giving = new Set(held.filter((slice) => givesWay(slice, offered)).map(({ root }) => root));
  const kept = held.filter(({ root }) => !giving.has(root));
  return new Set([...supersededOnInstall(kept, offered), ...giving]);
}

/** The root of a slice. */
export function rootOf({ mirrorlake }: SliceManifest): string {
  return mirrorlake.root;
}
