import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "../clock.js";
import { LakeError } from "../contract/errors.js";
import { PLATFORMS } from "../contract/platforms.js";

import { renameSynced, syncTree } from "../corpus/durable-files.js";
import { type BuiltGeneration, buildGeneration } from "../corpus/generation/build-generation.js";
import {
  type GenerationManifest,
  readGenerationManifest,
  readSliceManifests,
} from "../corpus/generation/generation-manifest.js";
import type { SourceSlice } from "../corpus/generation/load-tables.js";
import type { RemovalList } from "../corpus/removals/removal-list.js";
import { readSliceManifest, verifySlice } from "../corpus/slice/verify-slice.js";
import { makeTemporaryFolder } from "../corpus/temporary-folder.js";
import { buildIndex, canBuildUpon, requireEmbedder } from "../search/build-index.js";
import type { Embedder } from "../search/embed/embedder.js";
import { publishCurrent, readCurrent } from "./current.js";
import { LAKE_DEFAULTS } from "./defaults.js";
import { type FoundSlice, findSlices } from "./find-slices.js";
import { indexDocuments, sliceVectors } from "./index-documents.js";
import { takeInstallLock } from "./install-lock.js";
import { LAKE_ENTRIES, lakePaths, SEARCH_FOLDER } from "./lake-paths.js";
import { checkPlatforms, placeSlice } from "./place-slice.js";
import { readRemovals } from "./removals/removals-file.js";
import { addDerived, keepRemovals } from "./removals/resolve-removals.js";
import { removeUnused } from "./remove-unused.js";
import { openOrCreate } from "./settings.js";

/** How far {@link installSlices} has come. `total` is 0 where it is not known. */
export interface InstallProgress {
  readonly phase:
    | "verify"
    | "load"
    | "records"
    | "raw"
    | "fit"
    | "index"
    | "embed"
    | "reduce"
    | "quantize"
    | "graph"
    | "certify"
    | "publish";
  readonly done: number;
  readonly total: number;
  readonly unit: "bytes" | "slices" | "records" | "items";
}

/** Options of {@link installSlices}. */
export interface InstallOptions {
  /** Folder of the lake; made when absent. */
  readonly lake: string;
  /**
   * Makes a set of vectors of all records beside the lake's own, of downloaded vectors of its model where slices bring them.
   * Ranks wherever it is at hand. A lake that has such a set refuses an install without the embedder, but for `rebuild`.
   */
  readonly embedder?: Embedder;
  /** Whether the lake gets vectors of its own, of an embedder fitted to its text, beside those of `embedder`: true by default. */
  readonly localSet?: boolean;
  readonly threads?: number;
  /** Build the generation anew from the slices, even where adding to it would do. */
  readonly rebuild?: boolean;
  /** Tells how old the leases of readers on other machines are. */
  readonly clock?: Clock;
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly signal?: AbortSignal;
}

/** What an install did. */
export interface InstallReport {
  /** Number of the generation that is now current. */
  readonly generation: number;
  /** `none`: every slice was there already; `added`: the new ones were added; `built`: the generation was built anew. */
  readonly change: "none" | "added" | "built";
  readonly slices: readonly {
    readonly root: string;
    readonly name: string;
    readonly state: "installed" | "present" | "superseded";
    readonly records: number;
    readonly raw: number;
    readonly vectors: number;
  }[];
  /** Of the new slices: items that can be found, that replaced an older edition, that a newer edition made void. */
  readonly records: { readonly added: number; readonly replaced: number; readonly outdated: number };
  readonly raw: { readonly added: number; readonly replaced: number; readonly outdated: number };
  /** What the lake now holds. */
  readonly total: { readonly slices: number; readonly records: number; readonly raw: number };
}

/** The published generation, as far as an install needs it. */
interface Published {
  readonly number: number;
  readonly dir: string;
  readonly slices: readonly SourceSlice[];
  /** Absent when the generation cannot be built upon: of another format, or damaged. */
  readonly manifest?: GenerationManifest;
}

/**
 * Installs slices into a lake: verifies them, brings them in, builds a new generation (database, row stores, search
 * index) beside the current one and publishes it by one rename. Readers go on reading the generation that they have.
 * Whatever happens, a kill included, the lake is as it was before or as it is after; what a killed install left is
 * removed by the next. Installing what is there already changes nothing, and the order of installs does not matter.
 * @throws SliceError for a slice that is corrupt, truncated, foreign or of a newer format; LakeError `lake_busy`,
 * `lake_foreign`, `lake_newer_format`, `slices_not_found`; the signal's reason when aborted
 */
export async function installSlices(
  dirs: readonly string[],
  options: InstallOptions,
): Promise<InstallReport> {
  const found = await findSlices(dirs);
  const { created } = await openOrCreate(options.lake);
  const lock = await takeInstallLock(options.lake);
  try {
    return await install(found, options);
  } catch (error) {
    if (created) await removeNewLake(options.lake);
    throw error;
  } finally {
    await lock.release();
  }
}

async function install(found: readonly FoundSlice[], options: InstallOptions): Promise<InstallReport> {
  const { lake, signal, clock = systemClock } = options;
  const paths = lakePaths(lake);
  const before = await currentOrNone(lake);
  const published = await readPublished(lake);
  const there = new Map((published?.slices ?? []).map((slice) => [slice.manifest.mirrorlake.root, slice]));
  await removeUnused(lake, published?.number, new Set(there.keys()), clock.now());
  const fresh = found.filter(({ manifest }) => !there.has(manifest.mirrorlake.root));
  checkPlatforms(
    [...PLATFORMS, ...[...there.values()].map(({ manifest }) => manifest.mirrorlake.platform)],
    fresh,
  );
  const placed: SourceSlice[] = [];
  let temporary: string | undefined;
  try {
    await placeAll(fresh, placed, options);
    const superseded = new Set(
      [...there.values(), ...placed].flatMap(({ manifest }) => manifest.mirrorlake.supersedes),
    );
    const rootOf = ({ manifest }: SourceSlice) => manifest.mirrorlake.root;
    const kept = [...there.values()].filter((slice) => !superseded.has(rootOf(slice)));
    const added = placed.filter((slice) => !superseded.has(rootOf(slice)));
    const gone = kept.length < there.size;
    const usable = published?.manifest !== undefined;
    if (published !== undefined && usable && added.length === 0 && !gone && !options.rebuild) {
      for (const slice of placed) await rm(slice.dir, { recursive: true, force: true });
      return report(published.number, "none", found, superseded, there, undefined, published.manifest!);
    }
    const base =
      published !== undefined && !gone && !options.rebuild && (await canGrow(published, added, options))
        ? published
        : undefined;
    if (base === undefined && usable && !options.rebuild && options.embedder === undefined) {
      await requireEmbedder(join(published.dir, SEARCH_FOLDER));
    }
    signal?.throwIfAborted();
    if (base === undefined) {
      for (const slice of kept) await verifySlice(slice.dir, signal === undefined ? {} : { signal });
    }
    temporary = await makeTemporaryFolder(paths.generations);
    const slices = base === undefined ? [...kept, ...added].toSorted(byRoot) : added.toSorted(byRoot);
    const removals = await readRemovals(lake);
    const note = { at: new Date(clock.now()).toISOString(), reason: "follows from what was removed before" };
    await addDerived(lake, removals, [...kept, ...added], note, signal);
    const built = await build(temporary, slices, base, removals, options);
    signal?.throwIfAborted();
    const number = (published?.number ?? 0) + 1;
    options.onProgress?.({ phase: "publish", done: 0, total: 1, unit: "items" });
    await renameSynced(temporary, paths.generation(number));
    await keepRemovals(lake, removals, { current: number, nowMs: clock.now(), signal });
    await publishCurrent(lake, number);
    await removeUnused(lake, number, new Set(built.manifest.slices), clock.now());
    options.onProgress?.({ phase: "publish", done: 1, total: 1, unit: "items" });
    const change = base === undefined ? "built" : "added";
    return report(number, change, found, superseded, there, built, built.manifest);
  } catch (error) {
    // Once the new generation is published the install stands, whatever failed after that; the next one tidies up.
    if ((await currentOrNone(lake)) === before) {
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
      await removeUnused(lake, published?.number, new Set(there.keys()), clock.now());
    }
    throw error;
  }
}

/** Number of the published generation, where there is a valid one. */
async function currentOrNone(lake: string): Promise<number | undefined> {
  return readCurrent(lake).catch((error: unknown) => {
    if (error instanceof LakeError) return undefined;
    throw error;
  });
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
  for (const slice of fresh) {
    signal?.throwIfAborted();
    const dir = await placeSlice(lake, slice, {
      ...(signal === undefined ? {} : { signal }),
      onBytes: (bytes) => {
        done += bytes;
        onProgress?.({ phase: "verify", done, total, unit: "bytes" });
      },
    });
    placed.push({ dir, manifest: slice.manifest });
  }
}

async function build(
  dir: string,
  slices: readonly SourceSlice[],
  base: Published | undefined,
  removals: RemovalList,
  options: InstallOptions,
): Promise<BuiltGeneration> {
  const { lake, embedder, localSet, threads, signal, onProgress } = options;
  const shared = {
    ...(threads === undefined ? {} : { threads }),
    ...(signal === undefined ? {} : { signal }),
  };
  const built = await buildGeneration(dir, {
    slices,
    ...(base === undefined ? {} : { base: base.dir }),
    removals: [...removals.removals()],
    ...shared,
    onProgress: ({ phase, done, total }) =>
      onProgress?.({
        phase,
        done,
        total,
        unit: phase === "load" ? "slices" : phase === "raw" ? "items" : "records",
      }),
  });
  const vectors = sliceVectors(await readSliceManifests(dir), lakePaths(lake).slice);
  const total = built.manifest.segments.at(-1)!.records;
  await buildIndex(join(dir, SEARCH_FOLDER), indexDocuments(dir, built.manifest, vectors, signal), {
    ...(base === undefined ? {} : { base: { dir: join(base.dir, SEARCH_FOLDER) } }),
    ...(embedder === undefined ? {} : { embedder }),
    ...(localSet === undefined ? {} : { localSet }),
    ...shared,
    onProgress: ({ phase, documents }) => onProgress?.({ phase, done: documents, total, unit: "records" }),
  });
  await syncTree(join(dir, SEARCH_FOLDER));
  return built;
}

/**
 * Whether adding slices to a generation is worth it: few against what is there, not in too many segments, and of texts that
 * the embedder which was fitted to the others still serves.
 */
async function canGrow(
  { dir, manifest }: Published,
  added: readonly SourceSlice[],
  { embedder }: InstallOptions,
): Promise<boolean> {
  if (manifest === undefined || manifest.segments.length >= LAKE_DEFAULTS.maxSegments) return false;
  const records = added.reduce((sum, slice) => sum + slice.manifest.mirrorlake.counts.records, 0);
  const raw = added.reduce((sum, slice) => sum + slice.manifest.mirrorlake.counts.raw, 0);
  return (
    records <= manifest.liveRecords * LAKE_DEFAULTS.rebuildShare &&
    records + raw <= (manifest.liveRecords + manifest.liveRaw) * LAKE_DEFAULTS.rebuildShare &&
    (await canBuildUpon(join(dir, SEARCH_FOLDER), manifest.liveRecords + records, embedder))
  );
}

async function readPublished(lake: string): Promise<Published | undefined> {
  const paths = lakePaths(lake);
  let number: number | undefined;
  try {
    number = await readCurrent(lake);
    if (number === undefined) return undefined;
    const dir = paths.generation(number);
    const manifest = await readGenerationManifest(dir);
    const manifests = await readSliceManifests(dir);
    return {
      number,
      dir,
      manifest,
      slices: manifests.map((m) => ({ dir: paths.slice(m.mirrorlake.root), manifest: m })),
    };
  } catch (error) {
    const damaged = error instanceof LakeError || (error as NodeJS.ErrnoException).code === "ENOENT";
    if (!damaged) throw error;
  }
  return recoverPublished(lake, number);
}

/** A lake whose current generation is damaged or of another format still has its slices: it is built anew from them. */
async function recoverPublished(lake: string, current: number | undefined): Promise<Published> {
  const paths = lakePaths(lake);
  const slices: SourceSlice[] = [];
  for (const name of await readdir(paths.slices)) {
    if (!/^[0-9a-f]{64}$/.test(name)) continue;
    const dir = paths.slice(name);
    slices.push({ dir, manifest: await readSliceManifest(dir) });
  }
  const numbers = (await readdir(paths.generations)).map(Number).filter(Number.isInteger);
  const number = Math.max(current ?? 0, ...numbers, 0);
  return { number, dir: paths.generation(number), slices };
}

function report(
  generation: number,
  change: InstallReport["change"],
  found: readonly FoundSlice[],
  superseded: ReadonlySet<string>,
  there: ReadonlyMap<string, unknown>,
  built: BuiltGeneration | undefined,
  manifest: GenerationManifest,
): InstallReport {
  const counts = (loaded: BuiltGeneration["records"] | undefined) => ({
    added: loaded?.added ?? 0,
    replaced: loaded?.replaced.length ?? 0,
    outdated: loaded?.outdated ?? 0,
  });
  return {
    generation,
    change,
    slices: found.map(({ manifest: { name, mirrorlake } }) => ({
      root: mirrorlake.root,
      name,
      state: superseded.has(mirrorlake.root)
        ? "superseded"
        : there.has(mirrorlake.root)
          ? "present"
          : "installed",
      records: mirrorlake.counts.records,
      raw: mirrorlake.counts.raw,
      vectors: mirrorlake.counts.vectors,
    })),
    records: counts(built?.records),
    raw: counts(built?.raw),
    total: { slices: manifest.slices.length, records: manifest.liveRecords, raw: manifest.liveRaw },
  };
}

function byRoot(a: SourceSlice, b: SourceSlice): number {
  return a.manifest.mirrorlake.root < b.manifest.mirrorlake.root ? -1 : 1;
}

/** Takes back a lake that this install made, and nothing else that may be in its folder. */
async function removeNewLake(lake: string): Promise<void> {
  if ((await currentOrNone(lake)) !== undefined) return;
  for (const name of LAKE_ENTRIES) await rm(join(lake, name), { recursive: true, force: true });
  await rmdir(lake).catch(() => {}); // not empty: somebody else's files stay
}
