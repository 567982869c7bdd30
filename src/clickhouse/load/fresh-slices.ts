import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { supersededOnInstall } from "../../slice/superseded-roots.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";

/** The slices that a lake does not have, and that none of these or of its own supersedes. */
export function freshOf(found: readonly SourceSlice[], held: readonly SliceManifest[]): SourceSlice[] {
  const installed = new Set(held.map(rootOf));
  const superseded = supersededBy(found, held);
  return found.filter(
    ({ manifest }) => !installed.has(rootOf(manifest)) && !superseded.has(rootOf(manifest)),
  );
}

/** The roots that are superseded once a lake has been offered some slices. */
export function supersededBy(
  found: readonly SourceSlice[],
  held: readonly SliceManifest[],
): ReadonlySet<string> {
  return supersededOnInstall(
    held.map(({ mirrorlake }) => mirrorlake),
    found.map(({ manifest }) => manifest.mirrorlake),
  );
}

/** The root of a slice. */
export function rootOf({ mirrorlake }: SliceManifest): string {
  return mirrorlake.root;
}
