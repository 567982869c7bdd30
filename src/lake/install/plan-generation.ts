import { join } from "node:path";
import { isFitted, isOtherIndex } from "../../search/build-upon.js";
import { rowCounts } from "../../store/generation/generation-manifest.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { costOf } from "../../store/generation/merge-policy.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { SEARCH_FOLDER } from "../lake-paths.js";
import type { InstallOptions } from "./install-options.js";
import type { Published } from "./published.js";
import type { RebuildReason } from "./rebuild.js";
import { itemsOf, whyNotGrow } from "./why-not-grow.js";

/** What an install finds. */
interface Situation {
  readonly published: Published | undefined;
  /** The slices that come. */
  readonly added: readonly SourceSlice[];
  /** Whether slices go that the published generation has. */
  readonly gone: boolean;
  /** Removals of the lake. */
  readonly removals: { readonly size: number };
}

/** How an install makes a generation, and why it is not just extended. */
export interface GenerationPlan {
  /**
   * `none`: the published one stays; `grow`: it is extended; `refit`: it is, and its embedder is refitted to all that is shown then;
   * `build`: all is built from slices.
   */
  readonly way: "none" | "grow" | "refit" | "build";
  /** Why rows or vectors that are there are made again. Absent of a first generation. */
  readonly reason?: RebuildReason | undefined;
}

/** Plans the generation of an install. @throws SearchError `index_unreadable` */
export async function planGeneration(
  { published, added, gone, removals }: Situation,
  options: InstallOptions,
): Promise<GenerationPlan> {
  if (published === undefined) return { way: "build" };
  const asked = await rebuildAsked(published, added, options);
  if (asked !== undefined) return { way: "build", reason: asked };
  if (gone) return { way: "build", reason: "superseded" };
  if (published.manifest !== undefined && added.length === 0) return { way: "none" };
  const reason = await whyNotGrow(published, added, options);
  if (reason === undefined) return { way: "grow" };
  const outgrown = reason === "growth" || reason === "fit";
  if (!outgrown || !keepsRows(published, added, removals)) return { way: "build", reason };
  // An embedder of the user's own is not fitted, and needs no more than what comes.
  return (await isFitted(join(published.dir, SEARCH_FOLDER))) ? { way: "refit", reason } : { way: "grow" };
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

/**
 * Whether a generation whose embedder is to be refitted keeps its rows and postings: whether most of what is shown then is in it, and
 * most of what it has is shown. What was removed from a lake is to go from the embedder, too, so all is built again without it.
 */
function keepsRows(
  { manifest }: Published,
  added: readonly SourceSlice[],
  removals: { readonly size: number },
): boolean {
  if (manifest === undefined || removals.size > 0) return false;
  const { records, raw } = itemsOf(added);
  const shown = { records: manifest.liveRecords, raw: manifest.liveRaw };
  const rows = rowCounts(manifest);
  const gone = { records: rows.records - shown.records, raw: rows.raw - shown.raw };
  return costOf(shown) > Math.max(costOf({ records, raw }), costOf(gone) * LAKE_DEFAULTS.shownToKeep);
}
