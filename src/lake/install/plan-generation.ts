import { join } from "node:path";
import { isFitted, isOtherIndex } from "../../search/build-upon.js";
import { rowCounts } from "../../store/generation/generation-manifest.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { costOf } from "../../store/generation/merge-policy.js";
import type { SupersededSurvey } from "../../store/generation/survey-superseded.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { SEARCH_FOLDER } from "../lake-paths.js";
import type { InstallOptions } from "./install-options.js";
import type { Published } from "./published.js";
import type { RebuildReason } from "./rebuild.js";
import { itemsOf, whyNotGrow, whyOutgrown } from "./why-not-grow.js";

/** What an install finds. */
interface Situation {
  readonly published: Published | undefined;
  /** The slices that come. */
  readonly added: readonly SourceSlice[];
  /** What the published generation is without slices of it that go; undefined where none go. Not asked where something was removed. */
  readonly survey: (() => Promise<SupersededSurvey>) | undefined;
  /** Removals of the lake. */
  readonly removals: { readonly size: number };
}

/** How an install makes a generation, and why it is not just extended. */
export interface GenerationPlan {
  /** `none`: the published one stays; `grow`: it is extended; `build`: all is built from slices. */
  readonly way: "none" | "grow" | "build";
  /**
   * Whether the embedder of a generation that is extended is refitted to all that is shown then, and when: `first`, in the same generation;
   * `later`, in one of its own, once what comes can be searched.
   */
  readonly refit?: "first" | "later";
  /** Why rows or vectors that are there are made again. Absent of a first generation. */
  readonly reason?: RebuildReason | undefined;
  /** Whether the embedder stays as it is though all is built. */
  readonly keepsFit?: boolean;
  /** What is left of a generation that is extended without slices of it. */
  readonly left?: SupersededSurvey | undefined;
}

/** Plans the generation of an install. @throws SearchError `index_unreadable`; what `survey` throws */
export async function planGeneration(
  { published, added, survey, removals }: Situation,
  options: InstallOptions,
): Promise<GenerationPlan> {
  if (published === undefined) return { way: "build" };
  const asked = await rebuildAsked(published, added, options);
  if (asked !== undefined) return { way: "build", reason: asked };
  // Rows that are hidden stay in files, and what a new generation leaves out of a removed text is not to come back from there.
  if (survey !== undefined && removals.size > 0) return { way: "build", reason: "superseded" };
  if (survey === undefined && published.manifest !== undefined && added.length === 0)
    return (await isRebuildDue(published, removals, options))
      ? { way: "build", reason: "fit" }
      : { way: "none" };
  const reason = await whyNotGrow(published, added, options);
  const outgrown = reason === "growth" || reason === "fit";
  if (reason !== undefined && !outgrown) return { way: "build", reason };
  const left = await survey?.();
  const sizes = left ?? sizesOf(published);
  const keeps = (outgrown || left !== undefined) && keepsRows(sizes, added);
  if (left !== undefined && !keeps)
    return { way: "build", reason: reason ?? "superseded", keepsFit: !outgrown };
  if (!outgrown) return { way: "grow", left };
  // What was removed from a lake is to go from the embedder, too, so all is built again without it.
  if (!keeps || removals.size > 0) return { way: "build", reason };
  // An embedder of the user's own is not fitted, and needs no more than what comes.
  if (!(await isFitted(join(published.dir, SEARCH_FOLDER)))) return { way: "grow", left };
  const shown = sizes.shown.records + itemsOf(added).records;
  return { way: "grow", refit: shown <= LAKE_DEFAULTS.refitFirst ? "first" : "later", reason, left };
}

/**
 * Whether nothing comes, but the embedder is to be refitted since an install before was ended in that, and something was removed from the
 * lake: it is to go from the embedder, too.
 */
async function isRebuildDue(
  { dir, manifest }: Published,
  removals: Situation["removals"],
  { embedder }: InstallOptions,
): Promise<boolean> {
  if (manifest === undefined || removals.size === 0) return false;
  return (await whyOutgrown({ dir, manifest }, embedder)) === "fit";
}

/** Why the options ask for a rebuild, whatever comes: in so many words, or where nothing comes by an embedder or graphs that the lake lacks. */
async function rebuildAsked(
  published: Published,
  added: readonly SourceSlice[],
  options: InstallOptions,
): Promise<RebuildReason | undefined> {
  if (options.rebuild === true) return "asked";
  if (published.manifest === undefined || added.length > 0) return undefined;
  return (await isOtherIndex(join(published.dir, SEARCH_FOLDER), options)) ? "index" : undefined;
}

/** What of a generation is shown, and its other rows. */
type Sizes = Pick<SupersededSurvey, "shown" | "hidden">;

function sizesOf({ manifest }: Published): Sizes {
  const rows = rowCounts(manifest!);
  const shown = { records: manifest!.liveRecords, raw: manifest!.liveRaw };
  return { shown, hidden: { records: rows.records - shown.records, raw: rows.raw - shown.raw } };
}

/**
 * Whether a generation of which slices go, or whose embedder is to be refitted, keeps its rows and postings: whether most of what is
 * shown then is in it, and most of what it has is shown.
 */
function keepsRows({ shown, hidden }: Sizes, added: readonly SourceSlice[]): boolean {
  return costOf(shown) > Math.max(costOf(itemsOf(added)), costOf(hidden) * LAKE_DEFAULTS.shownToKeep);
}
