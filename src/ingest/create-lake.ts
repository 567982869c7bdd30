import { basename } from "node:path";
import { z } from "zod";
import { type Clock, systemClock } from "../clock.js";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { IngestError, LakeError } from "../contract/errors.js";
import {
  CallbackOption,
  ClockOption,
  CountOption,
  FlagOption,
  PathOption,
  SignalOption,
  ThreadsOption,
} from "../contract/option-schemas.js";
import { Platform } from "../contract/service/platforms.js";
import { Timestamp } from "../contract/service/unified-record.js";
import { HashPolicy, type SliceItem, SourceInfo } from "../contract/slice/slice-item.js";
import { type InstallOptions, type InstallReport, installSlices } from "../lake/install/install-slices.js";
import type { InstallProgress } from "../lake/install/publish-generation.js";
import { lakePaths } from "../lake/lake-paths.js";
import { openOrCreate, settingsOrPlace } from "../lake/settings.js";
import { EmbedderOption } from "../search/embed/embedder-option.js";
import type { DuplicateItem } from "../slice/drop-duplicates.js";
import { writeSlices } from "../slice/write-slices.js";
import { itemOfRow, type LakeRow, type RowContext } from "./lake-row.js";
import { platformsBySlug } from "./mapping/build-record.js";
import { rowBatches } from "./row-batches.js";
import { StagedOutput } from "./staged-output.js";

/** How far {@link createLake} has come: rows taken (`total` is 0, it is not known), then as an install says it. */
export interface CreateLakeProgress extends Omit<InstallProgress, "phase"> {
  readonly phase: "rows" | InstallProgress["phase"];
}

/** Options of {@link createLake}. */
export interface CreateLakeOptions
  extends Partial<SourceInfo>,
    Pick<InstallOptions, "embedder" | "localSet" | "graphFrom" | "threads" | "clock" | "signal"> {
  /** When rows that do not say it were captured: ISO 8601 with offset; the clock's now by default. */
  readonly capturedAt?: string;
  /** What happens to a `prov.hash` that a row brings: checked by default. */
  readonly hashes?: HashPolicy;
  /** Called with every row that is left out because another has its key. */
  readonly onDuplicate?: (duplicate: DuplicateItem) => void;
  readonly onProgress?: (progress: CreateLakeProgress) => void;
}

/** What {@link createLake} made. */
export interface CreateLakeReport {
  /** Folder of the lake, absolute. */
  readonly lake: string;
  readonly generation: number;
  /** Rows that were given. */
  readonly rows: number;
  /** Records and raw items that can be found. */
  readonly records: number;
  readonly raw: number;
  /** Rows left out because another has their key: the one captured last stays. */
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
  graphFrom: CountOption.optional(),
  threads: ThreadsOption.optional(),
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
 * Makes a lake of plain objects in one call: unified records and raw items, from an array or as they come. Minimal rows
 * suffice: `{ platform: "forum", lang: "en", text: "…" }`. The lake is made beside `dir` and becomes visible by one rename: on
 * failure or abort nothing is left. Memory is bounded whatever the number of rows; the same rows in any order, with the same
 * options and time of capture, give the same slices. To add to a lake, use `writeSlices` and `installSlices`.
 * @param dir folder of the lake, absent or empty
 * @throws IngestError `row_invalid`, `rows_empty`; LakeError `lake_exists`, `lake_foreign`; UsageError for options that are not
 * valid, `unwritable_folder`; the signal's reason
 */
export async function createLake(
  dir: string,
  rows: Iterable<LakeRow> | AsyncIterable<LakeRow>,
  options: CreateLakeOptions = {},
): Promise<CreateLakeReport> {
  checkArgument(PathOption, dir, "dir", "createLake");
  checkArgument(Rows, rows, "rows", "createLake");
  checkOptions(OPTIONS, options, "createLake");
  const { signal, clock = systemClock, onProgress } = options;
  signal?.throwIfAborted();
  await refuseLake(dir);
  const staged = await StagedOutput.begin(dir, false);
  try {
    await openOrCreate(staged.dir);
    let [taken, duplicates] = [0, 0];
    const context = contextOf(options, clock);
    async function* items(): AsyncGenerator<SliceItem[], void, void> {
      for await (const batch of rowBatches<unknown>(rows, signal)) {
        yield batch.map((row, i) => itemOfRow(row, taken + i, context));
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
      throw new IngestError("rows_empty", "There is no row to make a lake of", {
        value: dir,
        remedy: "give a record or a raw item at least",
      });
    }
    const { embedder, localSet, graphFrom, threads } = options;
    const report = await installSlices([lakePaths(staged.dir).slices], {
      lake: staged.dir,
      embedder,
      localSet,
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
  throw new LakeError("lake_exists", `There is a lake at ${dir} already`, {
    value: dir,
    remedy:
      "name another folder; to add to this lake, write slices (writeSlices) and install them (installSlices)",
  });
}
