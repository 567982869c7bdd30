import { rm, rmdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { type Clock, systemClock } from "../../clock.js";
import { checkArgument, checkOptions, optionsSchema } from "../../contract/check-options.js";
import { LakeError } from "../../contract/errors.js";
import {
  CallbackOption,
  ClockOption,
  CountOption,
  EngineThreadsOption,
  FlagOption,
  PathOption,
  PathsOption,
  SignalOption,
} from "../../contract/option-schemas.js";
import { PLATFORMS } from "../../contract/service/platforms.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { writingTo } from "../../files/writing-to.js";
import { canBuildUpon, requireEmbedder } from "../../search/build-index.js";
import type { Embedder } from "../../search/embed/embedder.js";
import { EmbedderOption } from "../../search/embed/embedder-option.js";
import { INDEX_METHODS, type IndexMethod } from "../../search/vector/index-method.js";
import { withCheckDatabase } from "../../slice/check-content.js";
import { type VerifyOptions, verifySlice, verifySlices } from "../../slice/verify-slice.js";
import type { StrayCaptures } from "../../store/as-of.js";
import { findFileFaults, readChecksums } from "../../store/checksums.js";
import { GENERATION_FILES } from "../../store/generation-manifest.js";
import type { SourceSlice } from "../../store/load-tables.js";
import type { RemovalList } from "../../store/removals/removal-list.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { type FoundSlice, findSlices } from "../find-slices.js";
import { LAKE_ENTRIES, lakePaths, SEARCH_FOLDER, UNCHECKED_FILES } from "../lake-paths.js";
import { lakeSlices } from "../lake-slices.js";
import { removeUnused } from "../maintain/remove-unused.js";
import { upgradeLocks } from "../open/leases.js";
import { readRemovals } from "../removals/removals-file.js";
import { openOrCreate } from "../settings.js";
import { indexBytes } from "./index-bytes.js";
import { takeInstallLock } from "./install-lock.js";
import { installReport } from "./install-report.js";
import { checkPlatforms, placeSlice } from "./place-slice.js";
import { type InstallProgress, publishGeneration } from "./publish-generation.js";
import { currentOrNone, type Published, readPublished } from "./published.js";

/** Options of {@link installSlices}. */
export interface InstallOptions {
  /** Folder of the lake; created if absent. */
  readonly lake: string;
  /**
   * Embedder of a second vector set of all records, which uses downloaded vectors of its model where slices
   * have them. The set ranks wherever the embedder is available. Later installs into such a lake need the
   * embedder, except with `rebuild`.
   */
  readonly embedder?: Embedder;
  /** Whether the lake also gets a local vector set, from an embedder fitted to its text. Default: true. */
  readonly localSet?: boolean;
  /**
   * How vectors are searched. `scan`: by 4-bit codes. `hnsw`: by HNSW graphs of hnswlib-node, in every segment of 4,096 records and
   * more where they find what the recall certificate asks for. `auto`: segments of 131,072 records and more get graphs where a
   * trial on some of their vectors says that these serve. Without hnswlib-node vectors are scanned. Default: `auto`, or `hnsw`
   * where `graphFrom` is given.
   */
  readonly index?: IndexMethod;
  /** Least records of a segment (of at most 524,288) for graphs. */
  readonly graphFrom?: number;
  readonly threads?: number;
  /** Rebuilds the generation from the slices, even where extending it would suffice. */
  readonly rebuild?: boolean;
  /** Clock for the time of derived removals. */
  readonly clock?: Clock;
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly signal?: AbortSignal;
}

/** Result of an install. */
export interface InstallReport {
  /** Number of the generation that is now current. */
  readonly generation: number;
  /**
   * `none`: every slice was installed already; `added`: the new ones were added; `built`: the generation was
   * rebuilt.
   */
  readonly change: "none" | "added" | "built";
  readonly slices: readonly {
    readonly root: string;
    readonly name: string;
    readonly state: "installed" | "present" | "superseded";
    readonly records: number;
    readonly raw: number;
    readonly vectors: number;
  }[];
  /**
   * Items of the new slices: searchable ones, ones that replaced an older edition, and ones superseded by a
   * newer edition.
   */
  readonly records: { readonly added: number; readonly replaced: number; readonly outdated: number };
  readonly raw: { readonly added: number; readonly replaced: number; readonly outdated: number };
  /** Searchable items of the lake before the install. */
  readonly before: { readonly records: number; readonly raw: number };
  /**
   * Records of the lake that are captured too late to be true, such as in the future: they do not count for as-of, and searches that are
   * measured from it leave them out. Absent if there are none.
   */
  readonly stray?: StrayCaptures;
  /** Totals of the lake after the install. */
  readonly total: { readonly slices: number; readonly records: number; readonly raw: number };
}

const OPTIONS = optionsSchema<InstallOptions>(() => ({
  lake: PathOption,
  embedder: EmbedderOption.optional(),
  localSet: FlagOption.optional(),
  index: z.enum(INDEX_METHODS).optional(),
  graphFrom: CountOption.or(z.literal(Number.POSITIVE_INFINITY)).optional(),
  threads: EngineThreadsOption.optional(),
  rebuild: FlagOption.optional(),
  clock: ClockOption.optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

/**
 * Installs slices into a lake: verifies them, places them, builds a new generation (database, row stores,
 * search index) beside the current one, and publishes it by one rename. Readers keep their generation. An
 * install is atomic, even when killed; the next one removes leftovers. It is idempotent, and the order of
 * installs does not matter.
 * @throws SliceError for a slice that is corrupt, truncated, foreign or of a newer format; LakeError
 * `lake_busy`, `lake_foreign`, `lake_newer_format`, `slices_not_found`; the signal's reason when aborted
 */
export async function installSlices(
  dirs: readonly string[],
  options: InstallOptions,
): Promise<InstallReport> {
  checkArgument(PathsOption, dirs, "dirs", "installSlices");
  checkOptions(OPTIONS, options, "installSlices");
  const found = await findSlices(dirs);
  const wanted = async () => bytesOfIndexes(found, await lakeSlices(options.lake));
  return writingTo(options.lake, () => installFound(found, options), wanted);
}

async function installFound(found: readonly FoundSlice[], options: InstallOptions): Promise<InstallReport> {
  const { created } = await openOrCreate(options.lake);
  const lock = await takeInstallLock(options.lake);
  try {
    const report = await install(found, options);
    await upgradeLocks(options.lake);
    return report;
  } catch (error) {
    if (created) await removeNewLake(options.lake);
    throw error;
  } finally {
    await lock.release();
  }
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
  const published = await readPublished(lake);
  const installed = new Map((published?.slices ?? []).map((slice) => [rootOf(slice), slice]));
  // Never remove slices of the lake's own folder that this install lists.
  const own = found.filter(
    ({ dir, manifest }) => dir === resolve(lakePaths(lake).slice(rootOf({ manifest }))),
  );
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
  try {
    await placeAll(fresh, placed, options);
    return await takeIn(found, { published, installed, placed, removals, nowMs }, options);
  } catch (error) {
    // After publication the install is complete, even if a later step failed; the next one cleans up.
    if ((await currentOrNone(lake)) === before) {
      for (const { dir, manifest } of placed)
        if (!keep.has(rootOf({ manifest }))) await rm(dir, { recursive: true, force: true });
      await tidy();
    }
    throw error;
  }
}

/** State before an install. */
interface State {
  readonly published: Published | undefined;
  /** The slices of the published generation, by root. */
  readonly installed: ReadonlyMap<string, SourceSlice>;
  /** Slices that were placed. */
  readonly placed: readonly SourceSlice[];
  readonly removals: RemovalList;
  readonly nowMs: number;
}

async function takeIn(
  found: readonly FoundSlice[],
  { published, installed, placed, removals, nowMs }: State,
  options: InstallOptions,
): Promise<InstallReport> {
  const { lake, signal } = options;
  const superseded = new Set([
    ...[...installed.values(), ...placed].flatMap(({ manifest }) => manifest.mirrorlake.supersedes),
    ...[...removals.removals()].flatMap((removal) => (removal.kind === "slice" ? [removal.root] : [])),
  ]);
  const kept = [...installed.values()].filter((slice) => !superseded.has(rootOf(slice)));
  const added = placed.filter((slice) => !superseded.has(rootOf(slice)));
  const gone = kept.length < installed.size;
  if (published?.manifest !== undefined && added.length === 0 && !gone && !options.rebuild) {
    await removeUnused(lake, published.number, new Set(installed.keys()));
    return installReport(published.number, "none", found, superseded, installed, undefined, {
      before: published.manifest,
      after: published.manifest,
    });
  }
  const grows =
    published !== undefined && !gone && !options.rebuild && (await canGrow(published, added, options));
  if (!grows && published?.manifest !== undefined && !options.rebuild && options.embedder === undefined) {
    await requireEmbedder(join(published.dir, SEARCH_FOLDER));
  }
  signal?.throwIfAborted();
  if (!grows)
    await verifySlices(
      kept.map(({ dir }) => dir),
      { signal },
    );
  const { number, built } = await publishGeneration(
    { published, base: grows ? published : undefined, slices: grows ? added : [...kept, ...added], removals },
    { ...options, nowMs },
  );
  return installReport(number, grows ? "added" : "built", found, superseded, installed, built, {
    before: published?.manifest,
    after: built.manifest,
  });
}

function rootOf({ manifest }: { readonly manifest: SliceManifest }): string {
  return manifest.mirrorlake.root;
}

async function placeAll(
  fresh: readonly FoundSlice[],
  placed: SourceSlice[],
  options: InstallOptions,
): Promise<void> {
  const { lake, signal, onProgress } = options;
  const total = fresh.reduce(
    (sum, { manifest }) => sum + manifest.resources.reduce((n, r) => n + r.bytes, 0),
    0,
  );
  let done = 0;
  const onBytes = (bytes: number) => {
    done += bytes;
    onProgress?.({ phase: "verify", done, total, unit: "bytes" });
  };
  if (fresh.length === 0) return;
  await withCheckDatabase(async (database) => {
    for (const slice of fresh) {
      signal?.throwIfAborted();
      const place = slice.dir === resolve(lakePaths(lake).slice(rootOf(slice))) ? verifyInPlace : placeSlice;
      const dir = await place(lake, slice, { signal, onBytes, database });
      placed.push({ dir, manifest: slice.manifest });
    }
  });
}

async function verifyInPlace(_lake: string, { dir }: FoundSlice, options: VerifyOptions): Promise<string> {
  await verifySlice(dir, options);
  return dir;
}

/**
 * Whether to extend a generation: few new records, not too many segments, and texts that its fitted embedder
 * still suits.
 */
async function canGrow(
  { dir, manifest }: Published,
  added: readonly SourceSlice[],
  { embedder }: InstallOptions,
): Promise<boolean> {
  if (manifest === undefined || manifest.segments.length >= LAKE_DEFAULTS.maxSegments) return false;
  const records = added.reduce((sum, slice) => sum + slice.manifest.mirrorlake.counts.records, 0);
  const raw = added.reduce((sum, slice) => sum + slice.manifest.mirrorlake.counts.raw, 0);
  const few =
    records <= manifest.liveRecords * LAKE_DEFAULTS.rebuildShare &&
    records + raw <= (manifest.liveRecords + manifest.liveRaw) * LAKE_DEFAULTS.rebuildShare;
  return (
    few &&
    (await canBuildUpon(join(dir, SEARCH_FOLDER), manifest.liveRecords + records, embedder)) &&
    (await isSoundBase(dir))
  );
}

/** Whether the files that the next generation copies, rather than shares, are those that were written: damage must not be sealed anew. */
async function isSoundBase(dir: string): Promise<boolean> {
  try {
    const checksums = await readChecksums(dir);
    const only = [
      GENERATION_FILES.database,
      GENERATION_FILES.columns,
      GENERATION_FILES.slices,
      GENERATION_FILES.manifest,
    ];
    return (
      checksums === undefined ||
      (await findFileFaults(dir, checksums, { except: UNCHECKED_FILES, only })).length === 0
    );
  } catch (error) {
    if (error instanceof LakeError && error.code === "generation_corrupt") return false;
    throw error;
  }
}

/** Removes a lake that this install created, and nothing else in its folder. */
async function removeNewLake(lake: string): Promise<void> {
  if ((await currentOrNone(lake)) !== undefined) return;
  for (const name of LAKE_ENTRIES) await rm(join(lake, name), { recursive: true, force: true });
  await rmdir(lake).catch(() => {}); // not empty: other files stay
}
