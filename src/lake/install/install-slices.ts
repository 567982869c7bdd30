import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemClock } from "../../clock.js";
import { checkArgument, checkOptions } from "../../contract/check-options.js";
import { PathsOption } from "../../contract/option-schemas.js";
import { PLATFORMS } from "../../contract/service/platforms.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { writingTo } from "../../files/writing-to.js";
import { requireEmbedder } from "../../search/build-upon.js";
import { checkDimensions } from "../../search/embed/ask-embedder.js";
import { type GraphReport, reportGraphs } from "../../search/graph-report.js";
import { settledWish } from "../../search/vector/graph/choose-graph.js";
import { givesWay, type Lineage, supersededOnInstall } from "../../slice/superseded-roots.js";
import { verifySlice, verifySlices } from "../../slice/verify-slice.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import type { RemovalList } from "../../store/removals/removal-list.js";
import { type FoundSlice, findSlices } from "../find-slices.js";
import { lakePaths, SEARCH_FOLDER } from "../lake-paths.js";
import { lakeSlices } from "../lake-slices.js";
import { removeUnused } from "../maintain/remove-unused.js";
import { tidyIncoming } from "../maintain/unused-incoming.js";
import { sliceRoots } from "../missing-current.js";
import { upgradeLocks } from "../open/leases.js";
import { readRemovals, removedRoots } from "../removals/removals-file.js";
import { addDerived, keepRemovals } from "../removals/resolve-removals.js";
import { removeNewLake } from "../remove-new-lake.js";
import { openOrCreate, readSettings } from "../settings.js";
import { sliceFault } from "../slice-fault.js";
import { namedAsOwn, sliceFolders } from "../slice-folders.js";
import { adoptSalt } from "./adopt-salt.js";
import { takeDueSteps } from "./due-steps.js";
import { markFirstInstall, unmarkFirstInstall } from "./first-install.js";
import { fitToKeep } from "./fit-to-keep.js";
import { indexBytes } from "./index-bytes.js";
import { takeInstallLock } from "./install-lock.js";
import { INSTALL_OPTIONS, type InstallOptions } from "./install-options.js";
import { type InstallReport, installReport } from "./install-report.js";
import { checkPlatforms } from "./place-slice.js";
import { placeSlices } from "./place-slices.js";
import { planGeneration } from "./plan-generation.js";
import { publishGeneration } from "./publish-generation.js";
import { currentOrNone, type Published, readPublished, shownItems } from "./published.js";
import { announceRebuild } from "./rebuild.js";
import { settledReport, settleGeneration } from "./settle-generation.js";
import { surveyGone } from "./survey-gone.js";
import { verifyProgress } from "./verify-progress.js";

/**
 * Installs slices into a lake: verifies them, places them, builds a new generation (database, row stores,
 * search index) beside the current one, and publishes it by one rename. Readers keep their generation. An
 * install is atomic, even when killed; the next one removes leftovers. It is idempotent: without new slices it builds only
 * what `embedder`, `index` or `graphFrom` ask for and the lake has not, and does the refit or the merge that an install before it was ended
 * in. A slice that the lake should have, and whose files are gone or not of their sizes, is placed again; with `rebuild` also one whose files have other bytes. The order of
 * installs does not matter, but that a slice which is installed again comes back whole after retention, and stays so when a cut of it comes. A lake
 * without a salt takes the one that an ingest left beside slices with authors.
 * @throws SliceError for a slice that is corrupt, truncated, foreign or of a newer format; LakeError `lake_not_found` for no slices
 * and no lake, `slice_missing` where a rebuild lacks one, `lake_busy`, `lake_foreign`, `lake_newer_format`, `slices_not_found`; SearchError
 * `embedder_invalid`, `embedder_differs`; `slices_withheld` for slices of another lake with removed content; the signal's reason when aborted
 */
export async function installSlices(
  dirs: readonly string[],
  options: InstallOptions,
): Promise<InstallReport> {
  checkArgument(PathsOption, dirs, "dirs", "installSlices");
  checkOptions(INSTALL_OPTIONS, options, "installSlices");
  if (options.embedder !== undefined) checkDimensions(options.embedder);
  // The folders stay the same ones when the process changes its own.
  const at = { ...options, lake: resolve(options.lake) };
  const places = dirs.map((dir) => resolve(dir));
  // Without slices there is nothing to make a lake of.
  if (dirs.length === 0) await readSettings(at.lake);
  const found = await namedAsOwn(at.lake, await findSlices(await sliceFolders(places, at.lake)));
  const wanted = async () => bytesOfIndexes(found, await lakeSlices(at.lake));
  return writingTo(at.lake, () => installFound(found, at), wanted);
}

async function installFound(found: readonly FoundSlice[], options: InstallOptions): Promise<InstallReport> {
  const { created } = await openOrCreate(options.lake);
  const lock = await takeInstallLock(options.lake);
  try {
    const report = await install(found, options);
    await upgradeLocks(options.lake);
    const graphs = await graphsAsked(report.generation, options);
    return { ...report, graphs, authorSalt: await adoptSalt(options.lake, found) };
  } catch (error) {
    if (created) await removeNewLake(options.lake);
    throw error;
  } finally {
    await lock.release();
  }
}

/** What became of the graphs that an install asks for; undefined where it asks for none. */
async function graphsAsked(
  generation: number,
  { lake, index, graphFrom }: InstallOptions,
): Promise<GraphReport | undefined> {
  if (settledWish({ index, graphFrom }).index === "scan" || (index === undefined && graphFrom === undefined))
    return undefined;
  return reportGraphs(join(lakePaths(lake).generation(generation), SEARCH_FOLDER));
}

function bytesOfIndexes(found: readonly FoundSlice[], held: readonly SliceManifest[]): number {
  const roots = new Set(held.map(({ mirrorlake }) => mirrorlake.root));
  const fresh = found.map(({ manifest }) => manifest.mirrorlake).filter(({ root }) => !roots.has(root));
  return indexBytes(
    held,
    fresh.map(({ counts }) => counts),
  );
}

async function install(found: readonly FoundSlice[], options: InstallOptions): Promise<InstallReport> {
  const { lake, clock = systemClock } = options;
  const nowMs = clock.now();
  // Never remove slices of the lake's own folder that this install lists.
  const own = found.filter(
    ({ dir, manifest }) => dir === resolve(lakePaths(lake).slice(rootOf({ manifest }))),
  );
  const offered = found.filter((slice) => !own.includes(slice));
  const published = await readPublished(lake, { nowMs, offered });
  const installed = new Map((published?.slices ?? []).map((slice) => [rootOf(slice), slice]));
  const keep = new Set([...installed.keys(), ...own.map(rootOf)]);
  const tidy = () => removeUnused(lake, published?.number, keep);
  await tidy();
  const fresh = found.filter(({ manifest }) => !installed.has(manifest.mirrorlake.root));
  checkPlatforms(
    [...PLATFORMS, ...[...installed.values()].map(({ manifest }) => manifest.mirrorlake.platform)],
    fresh,
  );
  const removals = await readRemovals(lake);
  const before = await currentOrNone(lake);
  const placed: SourceSlice[] = [];
  if (published === undefined) await markFirstInstall(lake);
  try {
    const known = offered.filter((slice) => installed.has(rootOf(slice)));
    const { whole, damaged } = await examine(known, options);
    await placeSlices([...damaged, ...fresh], placed, options);
    if (damaged.length > 0 && published?.manifest !== undefined)
      await resolveRepaired(published, removals, nowMs, options);
    const checked = new Set([...whole, ...damaged].map(rootOf));
    const repaired = new Set(damaged.map(rootOf));
    const added = placed.filter((slice) => !installed.has(rootOf(slice)));
    const state = { published, installed, placed: added, checked, repaired, removals, nowMs };
    return await takeIn(found, state, options);
  } catch (error) {
    // After publication the install is complete, even if a later step failed; the next one cleans up.
    if ((await currentOrNone(lake)) === before) {
      for (const { dir, manifest } of placed)
        if (!keep.has(rootOf({ manifest }))) await rm(dir, { recursive: true, force: true });
      await tidy();
      if (published === undefined && (await sliceRoots(lake)).length === 0) await unmarkFirstInstall(lake);
    }
    throw error;
  }
}

/** Tells slices that the lake holds whole from those to place again. Only a rebuild reads their bytes: it needs them all. */
async function examine(offered: readonly FoundSlice[], { lake, rebuild, signal }: InstallOptions) {
  const whole: FoundSlice[] = [];
  const damaged: FoundSlice[] = [];
  const check = rebuild ? (dir: string) => verifySlice(dir, { signal }) : undefined;
  for (const slice of offered)
    ((await sliceFault(lake, slice.manifest, check)) === undefined ? whole : damaged).push(slice);
  return { whole: rebuild ? whole : [], damaged };
}

/** Derives again what follows from the removals: of a slice that was lost they knew what the generation held. */
async function resolveRepaired(
  { number, dir }: Published,
  removals: RemovalList,
  nowMs: number,
  { lake, signal }: InstallOptions,
): Promise<void> {
  const note = { at: new Date(nowMs).toISOString(), reason: "follows from what was removed before" };
  await addDerived(lake, removals, { generation: dir }, note, { signal });
  await keepRemovals(lake, removals, { current: number, signal });
}

/** State before an install. */
interface State {
  readonly published: Published | undefined;
  /** The slices of the published generation, by root. */
  readonly installed: ReadonlyMap<string, SourceSlice>;
  /** New slices that were placed. */
  readonly placed: readonly SourceSlice[];
  /** Roots of the installed slices whose every byte was checked now, and of those that were placed again. */
  readonly checked: ReadonlySet<string>;
  readonly repaired: ReadonlySet<string>;
  readonly removals: RemovalList;
  readonly nowMs: number;
}

async function takeIn(
  found: readonly FoundSlice[],
  { published, installed, placed, checked, repaired, removals, nowMs }: State,
  options: InstallOptions,
): Promise<InstallReport> {
  const { lake, signal } = options;
  const before = shownItems(lake, published);
  const offered = found.map(lineageOf);
  const held = [...installed.values()].filter((slice) => !givesWay(lineageOf(slice), offered));
  const superseded = supersededOnInstall(held.map(lineageOf), placed.map(lineageOf));
  const removed = removedRoots(removals);
  const stays = (slice: SourceSlice) => !superseded.has(rootOf(slice)) && !removed.has(rootOf(slice));
  const kept = held.filter(stays);
  const added = placed.filter(stays);
  const roots = new Set(kept.map(rootOf));
  const gone = [...installed.values()].filter((slice) => !roots.has(rootOf(slice)));
  const states = { superseded, removed, installed, repaired };
  const survey =
    published === undefined || gone.length === 0
      ? undefined
      : () => surveyGone({ lake, published, gone, kept, signal });
  const { reason, way, refit, keepsFit, left } = await planGeneration(
    { published, added, survey, removals },
    options,
  );
  if (way === "none" && published?.manifest !== undefined) {
    const manifests = [...installed.values()].map(({ manifest }) => manifest);
    await tidyIncoming(lake, manifests, nowMs);
    await removeUnused(lake, published.number, new Set(installed.keys()));
    const due = await takeDueSteps(published, removals, { ...options, nowMs });
    const sizes = { before, after: before, slices: manifests.length };
    return settledReport(installReport(published.number, "none", found, states, undefined, sizes), due);
  }
  const grows = way === "grow";
  if (!grows && published?.manifest !== undefined && !options.rebuild && options.embedder === undefined) {
    await requireEmbedder(join(published.dir, SEARCH_FOLDER));
  }
  signal?.throwIfAborted();
  const { onProgress } = options;
  const announced =
    reason === undefined || published === undefined || refit === "later"
      ? undefined
      : await announceRebuild({
          lake,
          reason,
          published,
          slices: [...kept, ...added],
          refit: refit && added,
          left: left?.shown.records,
          onProgress,
        });
  if (!grows) {
    const unchecked = kept.filter((slice) => !checked.has(rootOf(slice)));
    for (const { manifest } of unchecked) {
      const fault = await sliceFault(lake, manifest);
      if (fault !== undefined) throw fault;
    }
    await verifySlices(
      unchecked.map(({ dir }) => dir),
      { signal, onBytes: verifyProgress(unchecked, onProgress) },
    );
  }
  const fit = keepsFit ? await fitToKeep(published!, added) : undefined;
  const publishing = { ...options, nowMs, ...fit };
  const { number, built } = await publishGeneration(
    {
      published,
      base: grows ? published : undefined,
      merging: refit === "first" ? "all" : "small",
      superseded: left && { roots: new Set(gone.map(rootOf)), holders: left.holders },
      refit: refit === "first",
      slices: grows ? added : [...kept, ...added],
      removals,
    },
    publishing,
  );
  const later = refit === "later" ? reason : undefined;
  const settled = grows ? await settleGeneration({ number, refit: later, removals }, publishing) : undefined;
  const { slices, liveRecords, liveRaw } = built.manifest;
  const sizes = { before, after: { records: liveRecords, raw: liveRaw }, slices: slices.length };
  const report = installReport(number, grows ? "added" : "built", found, states, built, sizes);
  return settledReport({ ...report, rebuild: announced }, settled);
}

function rootOf({ manifest }: { readonly manifest: SliceManifest }): string {
  return manifest.mirrorlake.root;
}

function lineageOf({ manifest }: SourceSlice): Lineage {
  return manifest.mirrorlake;
}
