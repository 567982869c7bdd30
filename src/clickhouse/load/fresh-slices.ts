import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { supersededRoots } from "../../slice/superseded-roots.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";

/** The slices that a lake does not have, and that none of these or of its own supersedes. */
export function freshOf(found: readonly SourceSlice[], held: readonly SliceManifest[]): SourceSlice[] {
  const installed = new Set(held.map(rootOf));
  const superseded = supersededOf([...found.map(({ manifest }) => manifest), ...held]);
  return found.filter(
    ({ manifest }) => !installed.has(rootOf(manifest)) && !superseded.has(rootOf(manifest)),
  );
}

/** The roots that some slices supersede. */
export function supersededOf(slices: readonly SliceManifest[]): ReadonlySet<string> {
  return supersededRoots(slices.map(({ mirrorlake }) => mirrorlake));
}

/** The root of a slice. */
export function rootOf({ mirrorlake }: SliceManifest): string {
  return mirrorlake.root;
}
