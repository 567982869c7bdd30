import type { SliceIndexEntry } from "../../contract/slice/slice-index.js";
import { type SliceFilter, sliceMatches } from "../../slice/slice-filter.js";

/** Which slices of a source are wanted. */
export interface Selection {
  readonly filter: SliceFilter;
  /** Only these roots; all by default. */
  readonly roots?: ReadonlySet<string>;
  /** Slices that the lake holds. */
  readonly present: ReadonlySet<string>;
  /** Roots that slices of the lake supersede. */
  readonly superseded: ReadonlySet<string>;
}

/** A source's slices by what is to be done with them. */
export interface SelectedSlices {
  readonly wanted: readonly SliceIndexEntry[];
  /** Of those that were asked for: in the lake already. */
  readonly present: readonly SliceIndexEntry[];
  /** Of those that were asked for: replaced by another that is wanted or present, and not fetched. */
  readonly superseded: readonly SliceIndexEntry[];
}

/** Chooses from what a source has. */
export function selectSlices(slices: readonly SliceIndexEntry[], selection: Selection): SelectedSlices {
  const asked = slices.filter(
    (slice) =>
      (selection.roots === undefined || selection.roots.has(slice.root)) &&
      sliceMatches(slice, selection.filter),
  );
  const gone = new Set([...selection.superseded, ...asked.flatMap(({ supersedes }) => supersedes)]);
  const isPresent = ({ root }: SliceIndexEntry) => selection.present.has(root);
  const rest = asked.filter((slice) => !isPresent(slice));
  return {
    wanted: rest.filter(({ root }) => !gone.has(root)),
    present: asked.filter(isPresent),
    superseded: rest.filter(({ root }) => gone.has(root)),
  };
}
