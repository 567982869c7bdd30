import type { SliceIndexEntry } from "../../contract/slice/slice-index.js";
import { type SliceFilter, sliceMatches } from "../../slice/slice-filter.js";

/** Selection from a source's slices. */
export interface Selection {
  readonly filter: SliceFilter;
  /** Only these roots. Default: all. */
  readonly roots?: ReadonlySet<string>;
  /** Slices that the lake holds. */
  readonly present: ReadonlySet<string>;
  /** Roots that slices of the lake supersede. */
  readonly superseded: ReadonlySet<string>;
}

/** A source's slices by state. */
export interface SelectedSlices {
  readonly wanted: readonly SliceIndexEntry[];
  /** Requested slices that the lake holds. */
  readonly present: readonly SliceIndexEntry[];
  /** Requested slices that a wanted or present one supersedes; not fetched. */
  readonly superseded: readonly SliceIndexEntry[];
}

/** Selects from a source's slices. */
export function selectSlices(slices: readonly SliceIndexEntry[], selection: Selection): SelectedSlices {
  const requested = slices.filter(
    (slice) =>
      (selection.roots === undefined || selection.roots.has(slice.root)) &&
      sliceMatches(slice, selection.filter),
  );
  const superseded = new Set([...selection.superseded, ...requested.flatMap(({ supersedes }) => supersedes)]);
  const isPresent = ({ root }: SliceIndexEntry) => selection.present.has(root);
  const rest = requested.filter((slice) => !isPresent(slice));
  return {
    wanted: rest.filter(({ root }) => !superseded.has(root)),
    present: requested.filter(isPresent),
    superseded: rest.filter(({ root }) => superseded.has(root)),
  };
}
