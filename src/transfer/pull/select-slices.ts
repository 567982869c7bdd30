import type { SliceIndexEntry } from "../../contract/slice/slice-index.js";
import { type SliceFilter, sliceMatches } from "../../slice/slice-filter.js";
import { type Lineage, supersededOnInstall } from "../../slice/superseded-roots.js";

/** Selection from a source's slices. */
export interface Selection {
  readonly filter: SliceFilter;
  /** Only these roots. Default: all. */
  readonly roots?: ReadonlySet<string>;
  /** Slices that the lake holds. */
  readonly held: readonly Lineage[];
  /** Roots of those whose files are gone or damaged: they are wanted again. */
  readonly damaged?: ReadonlySet<string>;
  /** Roots of those of which removals left nothing in the lake. */
  readonly removed?: ReadonlySet<string>;
}

/** A source's slices by state. */
export interface SelectedSlices {
  readonly wanted: readonly SliceIndexEntry[];
  /** Requested slices that the lake holds. */
  readonly present: readonly SliceIndexEntry[];
  /** Requested slices that a wanted or held one supersedes, or that were cut by age from a held one; not fetched. */
  readonly superseded: readonly SliceIndexEntry[];
  /** Requested slices all of which was removed from the lake; not fetched. */
  readonly removed: readonly SliceIndexEntry[];
}

/** Selects from a source's slices. */
export function selectSlices(slices: readonly SliceIndexEntry[], selection: Selection): SelectedSlices {
  const requested = slices.filter(
    (slice) =>
      (selection.roots === undefined || selection.roots.has(slice.root)) &&
      sliceMatches(slice, selection.filter),
  );
  const superseded = supersededOnInstall(selection.held, requested);
  const held = new Set(selection.held.map(({ root }) => root));
  for (const root of selection.damaged ?? []) held.delete(root);
  const isPresent = ({ root }: SliceIndexEntry) => held.has(root);
  const isRemoved = ({ root }: SliceIndexEntry) => selection.removed?.has(root) === true;
  const rest = requested.filter((slice) => !isPresent(slice) && !isRemoved(slice));
  return {
    wanted: rest.filter(({ root }) => !superseded.has(root)),
    present: requested.filter(isPresent),
    superseded: rest.filter(({ root }) => superseded.has(root)),
    removed: requested.filter((slice) => !isPresent(slice) && isRemoved(slice)),
  };
}
