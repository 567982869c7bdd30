import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { checkArgument, checkOptions, optionsSchema } from "../../contract/check-options.js";
import { DiskError, LakeError, MirrorlakeError } from "../../contract/errors.js";
import { unlessLacking } from "../../contract/lacking.js";
import {
  CallbackOption,
  FlagOption,
  LakeFolderOption,
  SignalOption,
  ThreadsOption,
} from "../../contract/option-schemas.js";
import { inSystemFolder } from "../../files/system-folder.js";
import { diskFull, freeBytes, isDiskFull } from "../../files/writing-to.js";
import type { TogetherRecall } from "../../search/measure-together.js";
import { openIndex } from "../../search/open-index.js";
import { withCheckDatabase } from "../../slice/check-content.js";
import { verifySlice } from "../../slice/verify-slice.js";
import { contentHash } from "../../store/generation/content-hash.js";
import { readGenerationManifest, readSliceManifests } from "../../store/generation/generation-manifest.js";
import type { RemovedRows } from "../../store/removals/removed-rows.js";
import { lakePaths, SEARCH_FOLDER } from "../lake-paths.js";
import { currentUnlessNew } from "../missing-current.js";
import { takeLease } from "../open/leases.js";
import { removedFrom } from "../open/open-view.js";
import { currentDigest, readRemovals, removedRowsOf } from "../removals/removals-file.js";
import { resolveGeneration } from "../removals/resolve-removals.js";
import { readSettings } from "../settings.js";
import { sliceFault } from "../slice-fault.js";
import { type Problem, problemOf, rebuildCommand } from "./problem.js";
import { verifyFiles } from "./verify-files.js";
import { verifyGeneration } from "./verify-generation.js";
import { verifyRecall, verifyTogether } from "./verify-recall.js";
import { verifyProvenance } from "./verify-records.js";

/** Progress of a verification. */
export interface VerifyProgress {
  readonly phase:
    | "files"
    | "slices"
    | "provenance"
    | "removals"
    | "generation"
    | "recall"
    | "together"
    | "corpus";
  readonly done: number;
  /** Of questions, at most so many: measuring ends sooner where enough is known. */
  readonly total: number;
  /** What `done` and `total` count; rows are compared with their slices, with what is stored of them, by their groups and by their vectors. */
  readonly unit: "bytes" | "slices" | "steps" | "rows" | "questions";
}

/** Options of {@link verifyLake}. */
export interface VerifyLakeOptions {
  /** Measures the index's recall again, which takes as long as at the build. Default: true. */
  readonly recall?: boolean;
  /** Worker threads that measure recall; 0 measures in this thread. */
  readonly threads?: number;
  readonly onProgress?: (progress: VerifyProgress) => void;
  readonly signal?: AbortSignal;
}

/** Result of a verification. */
export interface VerifyReport {
  readonly ok: boolean;
  readonly generation: number;
  readonly slices: number;
  /** Records of all slices, with those that another edition replaced or a removal hides. */
  readonly records: number;
  /** Raw items, counted likewise. */
  readonly raw: number;
  /** What of them is shown, so what a search and SQL see; undefined where the generation cannot be read. */
  readonly shown?: { readonly records: number; readonly raw: number };
  /** Numbers of records whose `prov.hash` is that of their canonical JSON, and whose source hashed them otherwise. */
  readonly provenance: { readonly canonical: number; readonly otherwise: number };
  readonly removals: number;
  /** Least recall@10 in the certificate; undefined where search is exact or was not measured. */
  readonly recall10?: number;
  /** What all sets of the index find together, measured; undefined where it has a single one, or recall was not measured. */
  readonly together?: Omit<TogetherRecall, "sufficient">;
  /**
   * Whether every file of the generation is, to the byte, what was written. `absent`: the file of checksums
   * is missing, so that they cannot be compared; a rebuild writes it.
   */
  readonly files: "whole" | "damaged" | "absent";
  /** Hash of the visible content. */
  readonly corpus?: string;
  readonly problems: readonly Problem[];
}

const OPTIONS = optionsSchema<VerifyLakeOptions>(() => ({
  recall: FlagOption.optional(),
  threads: ThreadsOption.optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

/**
 * Checks a lake completely while others may read it: every byte and row of its slices, every record's hash, the
 * removals and hidden rows, the generation against the slices, the search index against the records, and its
 * certified recall. Changes nothing.
 * @throws LakeError `lake_not_found`, `lake_newer_format`, `lake_empty`, `lake_current_invalid`,
 * `removals_corrupt`; DiskError where the system's temporary folder is full or cannot be written to; the signal's reason
 */
export async function verifyLake(lake: string, options: VerifyLakeOptions = {}): Promise<VerifyReport> {
  checkArgument(LakeFolderOption, lake, "lake", "verifyLake");
  checkOptions(OPTIONS, options, "verifyLake");
  const path = resolve(lake);
  return inSystemFolder("verify", (folder) => verify(path, options, folder));
}

/** @param folder for what engines cannot hold in memory: not the folder that the process works in, nor the lake, which may be read-only */
async function verify(lake: string, options: VerifyLakeOptions, folder: string): Promise<VerifyReport> {
  const { signal, onProgress } = options;
  await readSettings(lake);
  const removals = await readRemovals(lake);
  const problems: Problem[] = [];
  const generation = await currentUnlessNew(lake).catch((error: unknown) => {
    if (!(error instanceof LakeError) || error.code === "lake_current_invalid") throw error;
    problems.push(problemOf(error, rebuildCommand(lake)));
    return undefined;
  });
  const empty = { slices: 0, records: 0, raw: 0, provenance: { canonical: 0, otherwise: 0 } };
  if (generation === undefined)
    return {
      ok: problems.length === 0,
      generation: 0,
      ...empty,
      removals: removals.size,
      files: problems.length === 0 ? "whole" : "damaged",
      problems,
    };
  const lease = await takeLease(lake, generation);
  const remedy = rebuildCommand(lake);
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      // Of the disk that a check works on, not of the lake.
      if (error instanceof DiskError) throw error;
      if (isDiskFull(error)) throw diskFull(folder, freeBytes(folder), undefined, error);
      // That a file cannot be read follows from what is said of it.
      const isNamed = problems.some(({ code }) => code === "file_changed" || code === "file_missing");
      const isCoded = unlessLacking(error) instanceof MirrorlakeError;
      const problem = problemOf(error, remedy);
      // Several checks read the same file.
      const isKnown = problems.some(
        ({ code, message }) => code === problem.code && message === problem.message,
      );
      if ((isCoded || !isNamed) && !isKnown) problems.push(problem);
      return undefined;
    }
  };
  try {
    const dir = lakePaths(lake).generation(generation);
    const onBytes = (done: number, total: number) =>
      onProgress?.({ phase: "files", done, total, unit: "bytes" });
    const files = (await attempt(() => verifyFiles(dir, { onBytes, signal }, problems, remedy))) ?? "damaged";
    const manifests = (await attempt(() => readSliceManifests(dir))) ?? [];
    const slices = manifests.map((manifest) => ({
      dir: lakePaths(lake).slice(manifest.mirrorlake.root),
      manifest,
    }));
    const provenance = { canonical: 0, otherwise: 0 };
    let damaged = false;
    await withCheckDatabase(async (database) => {
      for (const [i, slice] of slices.entries()) {
        onProgress?.({ phase: "slices", done: i, total: slices.length, unit: "slices" });
        const check = (folder: string) => verifySlice(folder, { signal, database });
        const fault = await sliceFault(lake, slice.manifest, check).catch((error: unknown) => error);
        signal?.throwIfAborted();
        if (fault !== undefined) {
          problems.push(problemOf(fault, remedy));
          damaged = true;
          continue;
        }
        onProgress?.({ phase: "provenance", done: i, total: slices.length, unit: "slices" });
        const { records, matching, others } = await verifyProvenance(slice, database, signal);
        provenance.canonical += matching;
        provenance.otherwise += records - matching;
        if (matching < records && slice.manifest.mirrorlake.hashes !== "kept") {
          problems.push({
            code: "provenance_mismatch",
            message: `${records - matching} of ${records} records of slice ${slice.manifest.mirrorlake.root} do not have the hash of what they say`,
            value: others,
            remedy: `fetch or ingest the slice again; where its hashes are the source's own, write it with hashes: "keep"`,
          });
        }
      }
    }, folder);
    await attempt(async () => checkRemovedRows(lake, generation));
    const kept = await attempt(() => removedFrom(lake, generation, dir));
    const fresh = await attempt(() =>
      resolveGeneration(lake, dir, removals, {
        onStep: (done, total) => onProgress?.({ phase: "removals", done, total, unit: "steps" }),
        signal,
      }),
    );
    if (kept !== undefined && fresh !== undefined && JSON.stringify(kept.rows) !== JSON.stringify(fresh)) {
      problems.push({
        code: "removed_rows_differ",
        message: `What is hidden of generation ${generation} is not what was removed`,
        value: generation,
        remedy,
      });
    }
    const search = join(dir, SEARCH_FOLDER);
    const checked = {
      dir,
      tempDirectory: folder,
      slices: damaged ? undefined : slices,
      removals,
      openIndex: () => openIndex(search),
      remedy,
      onRows: (done: number, total: number) =>
        onProgress?.({ phase: "generation", done, total, unit: "rows" }),
      signal,
    };
    await attempt(() => verifyGeneration(checked, problems));
    const recall10 = await attempt(() => verifyRecall(search, options, problems, remedy));
    const together = await attempt(() => verifyTogether(search, options, problems, remedy));
    const corpus =
      kept === undefined
        ? undefined
        : await attempt(() =>
            contentHash(dir, kept.rows, {
              tempDirectory: folder,
              onRows: (done, total) => onProgress?.({ phase: "corpus", done, total, unit: "rows" }),
              signal,
            }),
          );
    const shown = kept === undefined ? undefined : await attempt(() => shownOf(dir, kept.rows));
    const counts = (key: "records" | "raw") =>
      slices.reduce((sum, { manifest }) => sum + manifest.mirrorlake.counts[key], 0);
    return {
      ok: problems.length === 0,
      generation,
      slices: slices.length,
      records: counts("records"),
      raw: counts("raw"),
      shown,
      provenance,
      removals: removals.size,
      files,
      recall10,
      together,
      corpus,
      problems,
    };
  } finally {
    await lease.release();
  }
}

/** Numbers of rows that no other edition replaced and no removal hides. */
async function shownOf(dir: string, hidden: RemovedRows): Promise<NonNullable<VerifyReport["shown"]>> {
  const { liveRecords, liveRaw } = await readGenerationManifest(dir);
  return { records: liveRecords - hidden.records.length, raw: liveRaw - hidden.raw.length };
}

/** Opening a lake passes over a damaged file of hidden rows, and derives them again. @throws LakeError `removals_unresolved` */
function checkRemovedRows(lake: string, generation: number): void {
  const digest = currentDigest(lake);
  if (digest !== undefined && existsSync(lakePaths(lake).removedRows(generation, digest)))
    removedRowsOf(lake, generation, digest);
}
