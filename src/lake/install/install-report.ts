import type { GraphReport } from "../../search/graph-report.js";
import type { StrayCaptures } from "../../store/as-of.js";
import type { BuiltGeneration } from "../../store/generation/build-generation.js";
import type { FoundSlice } from "../find-slices.js";
import type { AdoptedSalt } from "./adopt-salt.js";
import type { MergeReport } from "./merge-segments.js";
import type { ItemCounts } from "./published.js";
import type { Rebuild } from "./rebuild.js";
import type { RefitReport } from "./refit-published.js";

/** Result of an install. */
export interface InstallReport {
  /** Number of the generation that is now current. */
  readonly generation: number;
  /**
   * `none`: every slice was installed already, if not whole, and the index is as asked for, though a refit or a merge that was left to do
   * may have made another generation; `added`: the new ones were added, in the place of what they
   * supersede, if with a refit of the embedder, as `rebuild` says; `built`: the generation was rebuilt.
   */
  readonly change: "none" | "added" | "built";
  readonly slices: readonly {
    readonly root: string;
    readonly name: string;
    /**
     * `repaired`: the lake had it, but its files were gone or damaged, and it was placed again; `superseded`: another slice took its
     * place, or it was cut by age from one that the lake holds; `removed`: all that it holds was removed from the lake.
     */
    readonly state: "installed" | "present" | "repaired" | "superseded" | "removed";
    readonly records: number;
    readonly raw: number;
    readonly vectors: number;
  }[];
  /**
   * Items of the new slices: searchable ones, ones that replaced an older edition, and ones superseded by a
   * newer edition. Where the generation was rebuilt, what a revision withdraws may count as replaced.
   */
  readonly records: { readonly added: number; readonly replaced: number; readonly outdated: number };
  readonly raw: { readonly added: number; readonly replaced: number; readonly outdated: number };
  /**
   * Items that two slices have from the same capture time with other content, neither of the slices being a revision of the other: the
   * lake shows the one of the greater content hash. They are those that the new slices are part of, or, where the generation was built
   * again, all of the lake's. Absent if there are none.
   */
  readonly conflicts?: { readonly records: number; readonly raw: number };
  /** Searchable items of the lake before the install. */
  readonly before: { readonly records: number; readonly raw: number };
  /**
   * Records of the lake that are captured too late to be true, such as in the future: they do not count for as-of, and searches that are
   * measured from it leave them out. Absent if there are none.
   */
  readonly stray?: StrayCaptures;
  /** Which salt of author hashes the lake took over, and which slices have another. Absent if neither. */
  readonly authorSalt?: AdoptedSalt;
  /** Which vector sets of the lake have HNSW graphs. Absent unless `index` or `graphFrom` asked for graphs. */
  readonly graphs?: GraphReport;
  /**
   * Why the generation was built again, or its embedder refitted, and what that was to take, as was announced before it started. Absent where
   * neither was, or the generation is the first.
   */
  readonly rebuild?: Rebuild;
  /**
   * What a refit of the embedder did that followed once the items could be searched, as in lakes of more than some thousand records, or why
   * it ended. Absent where none did.
   */
  readonly refit?: RefitReport;
  /** Which segments were merged once the items could be searched, or why not. Absent where there was nothing to merge then. */
  readonly merge?: MergeReport;
  /** Totals of the lake after the install. */
  readonly total: { readonly slices: number; readonly records: number; readonly raw: number };
}

/** Roots of slices by what an install found of them. */
interface RootsByState {
  readonly superseded: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
  readonly installed: ReadonlyMap<string, unknown>;
  readonly repaired: ReadonlySet<string>;
}

/** The report of an install: the state of each slice given, what was added, and what the lake holds now. */
export function installReport(
  generation: number,
  change: InstallReport["change"],
  found: readonly FoundSlice[],
  { superseded, removed, installed, repaired }: RootsByState,
  built: BuiltGeneration | undefined,
  {
    before,
    after,
    slices,
  }: { readonly before: ItemCounts; readonly after: ItemCounts; readonly slices: number },
): InstallReport {
  const isNew = (root: string) => !installed.has(root) && !superseded.has(root) && !removed.has(root);
  const stateOf = (root: string) => {
    if (removed.has(root)) return "removed";
    if (superseded.has(root)) return "superseded";
    if (repaired.has(root)) return "repaired";
    return installed.has(root) ? "present" : "installed";
  };
  const counts = (kind: "records" | "raw") => {
    const loaded = built?.[kind];
    if (loaded === undefined) return { added: 0, replaced: 0, outdated: 0 };
    if (change === "added") {
      const { added, again, replaced, revised, outdated } = loaded;
      return { added: added - again, replaced: replaced.length + revised, outdated };
    }
    // A rebuild loads the slices that were there again: what the new ones did is told from the totals.
    let added = 0;
    for (const [root, count] of loaded.addedBy) if (isNew(root)) added += count;
    const given = found.map(({ manifest }) => manifest.mirrorlake).filter(({ root }) => isNew(root));
    const brought = given.reduce((sum, slice) => sum + slice.counts[kind], 0);
    const stayed = after[kind] - added;
    return {
      added,
      replaced: Math.min(added, Math.max(0, before[kind] - stayed)),
      outdated: Math.min(loaded.outdated, brought - added),
    };
  };
  return {
    generation,
    change,
    slices: found.map(({ manifest: { name, mirrorlake } }) => ({
      root: mirrorlake.root,
      name,
      state: stateOf(mirrorlake.root),
      records: mirrorlake.counts.records,
      raw: mirrorlake.counts.raw,
      vectors: mirrorlake.counts.vectors,
    })),
    records: counts("records"),
    raw: counts("raw"),
    conflicts: conflictsOf(built),
    before,
    stray: built?.stray,
    total: { slices, ...after },
  };
}

function conflictsOf(built: BuiltGeneration | undefined): InstallReport["conflicts"] {
  const [records, raw] = [built?.records.conflicts ?? 0, built?.raw.conflicts ?? 0];
  return records + raw === 0 ? undefined : { records, raw };
}
