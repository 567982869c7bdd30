import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { renameSynced, syncFolder, syncTree } from "../../files/durable-files.js";
import { createLockFile } from "../../files/process-lock.js";
import { makeTemporaryFolder, type TemporaryFolder } from "../../files/temporary-folder.js";
import { type BuildOptions, type BuildProgress, buildIndex } from "../../search/build-index.js";
import type { Embedder } from "../../search/embed/embedder.js";
import type { IndexMethod } from "../../search/vector/index-method.js";
import { runTasks } from "../../search/worker-tasks.js";
import type { Merging } from "../../store/generation/base-generation.js";
import { type BuiltGeneration, buildGeneration } from "../../store/generation/build-generation.js";
import { writeChecksums } from "../../store/generation/checksums.js";
import { readSliceManifests } from "../../store/generation/generation-manifest.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { numberSlices } from "../../store/generation/number-slices.js";
import { shareGeneration } from "../../store/generation/share-generation.js";
import type { Superseded } from "../../store/generation/withdraw-slices.js";
import type { RemovalList } from "../../store/removals/removal-list.js";
import type { WrittenRecords } from "../../store/rows/written-records.js";
import { publishCurrent } from "../current.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { LEASE_FILE, lakePaths, SEARCH_FOLDER, UNCHECKED_FILES } from "../lake-paths.js";
import { removeUnused } from "../maintain/remove-unused.js";
import { tidyIncoming } from "../maintain/unused-incoming.js";
import { addDerived, keepRemovals } from "../removals/resolve-removals.js";
import { askGeneration } from "./ask-generation.js";
import { unmarkFirstInstall } from "./first-install.js";
import { graphWish } from "./graph-wish.js";
import { indexDocuments, sliceVectors } from "./index-documents.js";
import { indexProgress } from "./index-progress.js";
import { currentOrNone, type Published } from "./published.js";
import type { Rebuild } from "./rebuild.js";
import { shownDocuments } from "./shown-documents.js";

/**
 * Progress of building a generation. `total` is 0 if unknown. `unit` names what `done` and `total` count: in phase `fit` dimensions of
 * the lake's embedder, in phase `certify` how often questions were asked to measure recall, of how often they are at most.
 */
export interface InstallProgress {
  readonly phase:
    | "rebuild"
    | "verify"
    | "load"
    | "records"
    | "raw"
    | "fit"
    | "index"
    | "embed"
    | "quantize"
    | "graph"
    | "certify"
    | "publish"
    | "merge";
  readonly done: number;
  readonly total: number;
  readonly unit: "bytes" | "slices" | "records" | "items" | "dimensions" | "questions";
  /** In phase `rebuild`, which comes once and before it starts: why the lake is built again, and what that takes. */
  readonly rebuild?: Rebuild;
}

/** Options of {@link publishGeneration}. */
export interface PublishOptions {
  readonly lake: string;
  /** Time of derived removals, epoch ms. */
  readonly nowMs: number;
  readonly embedder?: Embedder;
  readonly localSet?: boolean;
  readonly index?: IndexMethod;
  readonly graphFrom?: number;
  /** Folder of an index whose fitted embedder is reused, and how many records slices brought since it was fitted. */
  readonly fit?: { readonly dir: string; readonly grown: number };
  readonly threads?: number;
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly signal?: AbortSignal;
}

/** Inputs of a new generation. */
export interface Ingredients {
  readonly published: Published | undefined;
  /** The generation to extend, if any; `slices` are then the new ones. */
  readonly base: Published | undefined;
  /** Which of its segments are merged. Default: `all`. */
  readonly merging?: Merging | undefined;
  /** Whether the vectors of the lake's embedder are taken over, where segments are merged and nothing comes. */
  readonly keepsVectors?: boolean | undefined;
  /** Slices that go, where a generation is extended. */
  readonly superseded?: Superseded | undefined;
  /** Whether the embedder is refitted to all that is shown, where a generation is extended. */
  readonly refit?: boolean;
  /** Whether the rows are those of the generation that is extended: nothing comes, nothing is merged. Default: false. */
  readonly sharesRows?: boolean;
  readonly slices: readonly SourceSlice[];
  /** The current removals; derived ones are added. */
  readonly removals: RemovalList;
}

/**
 * Builds a generation beside the current one, publishes it by one rename, and removes unused files. Until that
 * rename the lake is unchanged. Requires the install lock.
 */
export async function publishGeneration(
  { published, base, slices, removals, ...rest }: Ingredients,
  options: PublishOptions,
): Promise<{ readonly number: number; readonly built: BuiltGeneration }> {
  const { lake, nowMs, signal } = options;
  const paths = lakePaths(lake);
  const before = await currentOrNone(lake);
  let temporary: TemporaryFolder | undefined;
  try {
    temporary = await makeTemporaryFolder(paths.generations);
    const note = { at: new Date(nowMs).toISOString(), reason: "follows from what was removed before" };
    await addDerived(lake, removals, { generation: base?.dir, slices }, note, { fresh: slices, signal });
    const ordered = slices.toSorted(byRoot);
    const wish = await graphWish(published, options);
    const built = await build(
      temporary.path,
      { base, slices: ordered, removals, ...rest },
      { ...options, ...wish },
    );
    const hash = async (paths: readonly string[], bytes: number) => {
      const threads = bytes < LAKE_DEFAULTS.hashedHereBytes ? 0 : 1;
      return (await runTasks("hashFiles", [paths], { threads, signal }))[0]!;
    };
    // All three only read what was built; the checksums sync themselves.
    const checked = await Promise.allSettled([
      askGeneration(temporary.path, { embedder: options.embedder }),
      writeChecksums(temporary.path, { except: UNCHECKED_FILES, base: base?.dir, hash, signal }),
      syncTree(temporary.path),
    ]);
    for (const done of checked) if (done.status === "rejected") throw done.reason;
    await syncFolder(temporary.path);
    signal?.throwIfAborted();
    const number = await nextNumber(lake, published?.number ?? 0);
    options.onProgress?.({ phase: "publish", done: 0, total: 1, unit: "items" });
    await createLockFile(join(temporary.path, LEASE_FILE));
    await renameSynced(temporary.path, paths.generation(number));
    await temporary.remove();
    await keepRemovals(lake, removals, { current: number, signal });
    await unmarkFirstInstall(lake);
    await publishCurrent(lake, number);
    // Before the lake's own slices go: those that this generation drops are told by what the last one held.
    const held = [...(published?.slices ?? []), ...slices].map(({ manifest }) => manifest);
    await tidyIncoming(lake, held, nowMs);
    await removeUnused(lake, number, new Set(built.manifest.slices));
    options.onProgress?.({ phase: "publish", done: 1, total: 1, unit: "items" });
    return { number, built };
  } catch (error) {
    // After publication the generation is complete, even if a later step failed; the next install cleans up.
    if ((await currentOrNone(lake)) === before) {
      await temporary?.remove();
      const installed = (published?.slices ?? []).map(({ manifest }) => manifest.mirrorlake.root);
      await removeUnused(lake, published?.number, new Set(installed));
    }
    throw error;
  }
}

/** The next free number: a process killed between two renames leaves a folder that was never current. */
async function nextNumber(lake: string, current: number): Promise<number> {
  const numbers = (await readdir(lakePaths(lake).generations)).map(Number).filter(Number.isInteger);
  return Math.max(current, ...numbers) + 1;
}

async function build(
  dir: string,
  {
    base,
    merging,
    keepsVectors,
    superseded,
    refit = false,
    sharesRows = false,
    slices,
    removals,
  }: Omit<Ingredients, "published">,
  options: PublishOptions,
): Promise<BuiltGeneration> {
  const { lake, nowMs, embedder, localSet, index, graphFrom, fit, threads, signal, onProgress } = options;
  const known = base === undefined ? [] : await readSliceManifests(base.dir);
  const numbered = numberSlices(
    known,
    ({ mirrorlake }) => superseded?.roots.has(mirrorlake.root) === true,
    slices.map(({ manifest }) => manifest),
  );
  const vectors = sliceVectors(numbered, lakePaths(lake).slice);
  const indexed = (written: WrittenRecords) =>
    buildIndex(join(dir, SEARCH_FOLDER), indexDocuments(written, vectors, signal), {
      base: base && extended(base, written, { keepsVectors, refit, signal }),
      embedder,
      fit,
      localSet,
      index,
      graphFrom,
      threads,
      signal,
      onProgress: (progress) =>
        onProgress?.(indexProgress(progress, totalOf(progress.phase, written, refit))),
    });
  let indexing: Promise<unknown> = Promise.resolve();
  try {
    const onWritten = (written: WrittenRecords) => {
      indexing = indexed(written);
      // A failure rejects the wait below, not the process.
      indexing.catch(() => undefined);
    };
    if (base !== undefined && sharesRows) {
      const built = await shareGeneration(base.dir, dir, onWritten);
      await indexing;
      return built;
    }
    const built = await buildGeneration(dir, {
      slices,
      nowMs,
      base: base === undefined ? undefined : base.dir,
      merging,
      superseded,
      removals: [...removals.removals()],
      grown: refit ? 0 : fit?.grown,
      threads,
      signal,
      onWritten,
      onProgress,
    });
    await indexing;
    return built;
  } catch (error) {
    // It still writes to the folder that the caller removes now.
    await Promise.allSettled([indexing]);
    throw error;
  }
}

/** Records of a phase: a refit reads those that stay, too, and once more those that are written. */
function totalOf(phase: BuildProgress["phase"], { count, staying }: WrittenRecords, refit: boolean): number {
  if (!refit) return count;
  return staying.count + count * (phase === "index" ? 2 : 1);
}

/** The index of a base, of which whole segments may go, and a segment begins with the records that are written again. */
function extended(
  { dir }: Published,
  written: WrittenRecords,
  {
    keepsVectors,
    refit,
    signal,
  }: Pick<Ingredients, "keepsVectors" | "refit"> & { readonly signal: AbortSignal | undefined },
): NonNullable<BuildOptions["base"]> {
  const { first, former, dropped } = written;
  return {
    dir: join(dir, SEARCH_FOLDER),
    dropped,
    merged: former && { first, former, keepsVectors },
    refit: refit ? shownDocuments(dir, written, signal) : undefined,
  };
}

function byRoot(a: SourceSlice, b: SourceSlice): number {
  return a.manifest.mirrorlake.root < b.manifest.mirrorlake.root ? -1 : 1;
}
