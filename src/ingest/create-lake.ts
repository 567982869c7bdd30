import { basename } from "node:path";
import { z } from "zod";
import { type Clock, systemClock } from "../clock.js";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { IngestError, LakeError } from "../contract/errors.js";
import {
  CallbackOption,
  ClockOption,
  CountOption,
  EngineThreadsOption,
  FlagOption,
  LakeFolderOption,
  SignalOption,
} from "../contract/option-schemas.js";
import { ownOptions } from "../contract/own-copy.js";
import { Platform } from "../contract/service/platforms.js";
import { Timestamp } from "../contract/service/unified-record.js";
import { HashPolicy, type SliceItem, SourceInfo } from "../contract/slice/slice-item.js";
import type { InstallOptions } from "../lake/install/install-options.js";
import type { InstallReport } from "../lake/install/install-report.js";
import { installSlices } from "../lake/install/install-slices.js";
import type { InstallProgress } from "../lake/install/publish-generation.js";
import { lakePaths } from "../lake/lake-paths.js";
import { openOrCreate, settingsOrPlace } from "../lake/settings.js";
import { EmbedderOption } from "../search/embed/embedder-option.js";
import { INDEX_METHODS } from "../search/vector/index-method.js";
import type { DuplicateItem } from "../staging/drop-duplicates.js";
import { writeSlices } from "../staging/write-slices.js";
import { itemOfRow, type LakeRow, type RowContext } from "./lake-row.js";
import { platformsBySlug } from "./mapping/build-record.js";
import { rowBatches } from "./row-batches.js";
import { StagedOutput } from "./staged-output.js";

/** Progress of {@link createLake}: first the rows taken (`total` is 0: it is not known), then the phases of the install. */
export interface CreateLakeProgress extends Omit<InstallProgress, "phase"> {
  readonly phase: "rows" | InstallProgress["phase"];
}

/** Options of {@link createLake}. */
export interface CreateLakeOptions
  extends Partial<SourceInfo>,
    Pick<InstallOptions, "embedder" | "localSet" | "index" | "graphFrom" | "threads" | "clock" | "signal"> {
  /** Capture time of rows without one: ISO 8601 with offset. Default: now, by the clock. */
  readonly capturedAt?: string;
  /** How a `prov.hash` given in a row is treated. Default: it is checked. */
  readonly hashes?: HashPolicy;
  /** Called with each row dropped as a duplicate of another row's key. */
  readonly onDuplicate?: (duplicate: DuplicateItem) => void;
  readonly onProgress?: (progress: CreateLakeProgress) => void;
}

/** Result of {@link createLake}. */
export interface CreateLakeReport {
  /** Folder of the lake, absolute. */
  readonly lake: string;
  readonly generation: number;
  /** Rows given. */
  readonly rows: number;
  /** Records and raw items in the lake. */
  readonly records: number;
  readonly raw: number;
  /** Rows dropped because another row has the same key; the latest capture is kept. */
  readonly duplicates: number;
  readonly slices: InstallReport["slices"];
}

const OPTIONS = optionsSchema<CreateLakeOptions>(() => ({
  ...SourceInfo.partial().shape,
  platforms: z.array(Platform).optional(),
  capturedAt: Timestamp.optional(),
  hashes: HashPolicy.optional(),
  embedder: EmbedderOption.optional(),
  localSet: FlagOption.optional(),
  index: z.enum(INDEX_METHODS).optional(),
  graphFrom: CountOption.optional(),
  threads: EngineThreadsOption.optional(),
  clock: ClockOption.optional(),
  onDuplicate: CallbackOption.optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

const Rows = z.custom<Iterable<LakeRow> | AsyncIterable<LakeRow>>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    (Symbol.iterator in value || Symbol.asyncIterator in value),
  "must be an array, or anything that can be iterated, of records and raw items",
);

/**
 * Creates a lake from plain objects in one call: unified records and raw items, from an array or a stream. Minimal rows suffice:
 * `{ platform: "forum", lang: "en", text: "…" }`. The lake is built beside `dir` and published by one rename: a failure or an
 * abort leaves nothing. Memory is bounded for any number of rows. The same rows in any order, with the same options and capture
 * time, give the same slices. To add to a lake, use `writeSlices` and `installSlices`.
 * @param dir folder of the lake, absent or empty
 * @throws IngestError `row_invalid`, `rows_empty`; LakeError `lake_exists`, `lake_foreign`; UsageError for invalid options,
 * `unwritable_folder`; the signal's reason
 */
export async function createLake(
  dir: string,
  rows: Iterable<LakeRow> | AsyncIterable<LakeRow>,
  options: CreateLakeOptions = {},
): Promise<CreateLakeReport> {
  checkArgument(LakeFolderOption, dir, "dir", "createLake");
  checkArgument(Rows, rows, "rows", "createLake");
  checkOptions(OPTIONS, options, "createLake");
  return makeLake(dir, rows, ownOptions(options));
}

/** Makes a lake with options that are its own: they are read while it waits. */
async function makeLake(
  dir: string,
  rows: Iterable<LakeRow> | AsyncIterable<LakeRow>,
  options: CreateLakeOptions,
): Promise<CreateLakeReport> {
  const { signal, clock = systemClock, onProgress } = options;
  signal?.throwIfAborted();
  await refuseLake(dir);
  const staged = await StagedOutput.begin(dir, false);
  try {
    await openOrCreate(staged.dir);
    let [taken, duplicates] = [0, 0];
    const context = contextOf(options, clock);
    async function* items(): AsyncGenerator<SliceItem[], void, void> {
      const made = (row: unknown, index: number) => itemOfRow(row, index, context);
      for await (const batch of rowBatches(rows, made, signal)) {
        yield batch;
        taken += batch.length;
        onProgress?.({ phase: "rows", done: taken, total: 0, unit: "items" });
      }
    }
    await writeSlices(items(), {
      out: lakePaths(staged.dir).slices,
      info: infoOf(options, basename(staged.target)),
      hashes: context.hashes === "keep" ? "keep" : "computed",
      onDuplicate: (duplicate) => {
        duplicates++;
        options.onDuplicate?.(duplicate);
      },
      signal,
    });
    if (taken === 0) {
      throw new IngestError("rows_empty", "There are no rows to create a lake from", {
        value: dir,
        remedy: "give at least one record or raw item",
      });
    }
    const { embedder, localSet, index, graphFrom, threads } = options;
    const report = await installSlices([lakePaths(staged.dir).slices], {
      lake: staged.dir,
      embedder,
      localSet,
      index,
      graphFrom,
      threads,
      clock,
      onProgress,
      signal,
    });
    signal?.throwIfAborted();
    await staged.publish();
    return {
      lake: staged.target,
      generation: report.generation,
      rows: taken,
      records: report.total.records,
      raw: report.total.raw,
      duplicates,
      slices: report.slices,
    };
  } catch (error) {
    await staged.discard();
    throw error;
  }
}

function infoOf(options: CreateLakeOptions, name: string): SourceInfo {
  const { title = name, licence = "unknown", platforms = [], attribution, vectorModel } = options;
  return { title, licence, platforms, attribution, vectorModel };
}

function contextOf(options: CreateLakeOptions, clock: Clock): RowContext {
  const { capturedAt = new Date(clock.now()).toISOString(), vectorModel, hashes = "check" } = options;
  return { platforms: platformsBySlug(options.platforms ?? []), capturedAt, vectorModel, hashes };
}

async function refuseLake(dir: string): Promise<void> {
  if ((await settingsOrPlace(dir)) === undefined) return;
  throw new LakeError("lake_exists", `There is already a lake at ${dir}`, {
    value: dir,
    remedy:
      "name another folder; to add to this lake, write slices (writeSlices) and install them (installSlices)",
  });
}
