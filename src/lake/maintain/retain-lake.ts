import { resolve } from "node:path";
import { z } from "zod";
import { type Clock, systemClock } from "../../clock.js";
import { checkOptions, optionsSchema } from "../../contract/check-options.js";
import { LakeError, UsageError } from "../../contract/errors.js";
import {
  CallbackOption,
  ClockOption,
  EngineThreadsOption,
  FlagOption,
  LakeFolderOption,
  SignalOption,
  TextOption,
} from "../../contract/option-schemas.js";
import { writingTo } from "../../files/writing-to.js";
import { requireEmbedder } from "../../search/build-upon.js";
import type { Embedder } from "../../search/embed/embedder.js";
import { EmbedderOption } from "../../search/embed/embedder-option.js";
import { readIndexManifest } from "../../search/index-manifest.js";
import { verifySlices } from "../../slice/verify-slice.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { takeInstallLock } from "../install/install-lock.js";
import { type InstallProgress, publishGeneration } from "../install/publish-generation.js";
import { readPublished } from "../install/published.js";
import { announceRebuild } from "../install/rebuild.js";
import { reviseSlices } from "../install/revise-slices.js";
import { verifyProgress } from "../install/verify-progress.js";
import { lakePaths, SEARCH_FOLDER } from "../lake-paths.js";
import { requireCurrent, whyNoCurrent } from "../missing-current.js";
import { readRemovals } from "../removals/removals-file.js";
import { readSettings } from "../settings.js";
import { rebuildCommand } from "../verify/problem.js";
import { hashShown } from "./hash-shown.js";
import { currentBytes, removeLeftovers } from "./remove-unused.js";

/** Options of {@link retainLake}. */
export interface RetainOptions {
  readonly lake: string;
  /** Least age of captures to remove, as `90d` or `36h`. */
  readonly olderThan: string;
  /** Reference time of ages: the newest capture of records and raw items in the lake (default), the clock's time, or epoch ms. */
  readonly asOf?: "corpus" | "system" | number;
  /** Only reports what would be removed. */
  readonly dryRun?: boolean;
  readonly embedder?: Embedder;
  readonly threads?: number;
  readonly clock?: Clock;
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly signal?: AbortSignal;
}

/** Result of retention. */
export interface RetainReport {
  readonly dryRun: boolean;
  /** Captures before this instant are removed, ISO 8601. */
  readonly cutoff: string;
  /** Slices removed completely, and slices replaced by a revision without the older items. */
  readonly dropped: readonly string[];
  readonly revised: readonly { readonly from: string; readonly to: string | null }[];
  /** Number of the generation that is now current. */
  readonly generation: number;
  readonly corpus: string;
}

const OPTIONS = optionsSchema<RetainOptions>(() => ({
  lake: LakeFolderOption,
  olderThan: TextOption,
  asOf: z
    .union([z.enum(["corpus", "system"]), z.number()], 'must be "corpus", "system", or epoch milliseconds')
    .optional(),
  dryRun: FlagOption.optional(),
  embedder: EmbedderOption.optional(),
  threads: EngineThreadsOption.optional(),
  clock: ClockOption.optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

/**
 * Removes content captured longer ago than an age: whole slices, and, by revisions, older items of slices with
 * newer ones. Unlike a takedown it is not permanent: installing a slice again restores it.
 * @throws UsageError `invalid_age`; LakeError `lake_busy`, `lake_empty`, `generation_invalid`, `retention_empties`; the signal's
 * reason
 */
export async function retainLake(options: RetainOptions): Promise<RetainReport> {
  checkOptions(OPTIONS, options, "retainLake");
  const at = { ...options, lake: resolve(options.lake) };
  const ageMs = ageOf(at.olderThan);
  await readSettings(at.lake);
  return writingTo(
    at.lake,
    async () => {
      const lock = await takeInstallLock(at.lake);
      try {
        return await retain(ageMs, at);
      } finally {
        await lock.release();
      }
    },
    () => currentBytes(at.lake),
  );
}

async function retain(ageMs: number, options: RetainOptions): Promise<RetainReport> {
  const { lake, signal, clock = systemClock, asOf = "corpus", dryRun = false } = options;
  const nowMs = clock.now();
  // A dry run writes nothing, so it does not restore what is missing either.
  if (dryRun) await requireCurrent(lake);
  const published = await readPublished(lake, { nowMs });
  if (published === undefined || published.number === 0) throw await whyNoCurrent(lake);
  if (published.manifest === undefined) {
    throw new LakeError(
      "generation_invalid",
      `${published.dir} is damaged, or of another version of Mirrorlake`,
      {
        value: published.dir,
        remedy: rebuildCommand(lake),
      },
    );
  }
  if (!dryRun) await removeLeftovers(lake, published);
  const { asOfMs, rawAsOfMs = 0 } = published.manifest;
  const from = asOf === "corpus" ? Math.max(asOfMs, rawAsOfMs) : asOf === "system" ? nowMs : asOf;
  const cutoffMs = from - ageMs;
  const captured = ({ manifest }: SourceSlice) => manifest.mirrorlake.captured;
  const kept = published.slices.filter((slice) => Date.parse(captured(slice).first) >= cutoffMs);
  const dropped = published.slices.filter((slice) => Date.parse(captured(slice).last) < cutoffMs);
  const mixed = published.slices.filter((slice) => !kept.includes(slice) && !dropped.includes(slice));
  const rootOf = ({ manifest }: SourceSlice) => manifest.mirrorlake.root;
  const base = { dryRun, cutoff: new Date(cutoffMs).toISOString(), dropped: dropped.map(rootOf) };
  if (kept.length + mixed.length === 0) {
    throw new LakeError("retention_empties", `Every slice of the lake is older than ${options.olderThan}`, {
      value: base.cutoff,
      remedy: "give a greater age, or delete the lake's folder",
    });
  }
  if (dryRun || dropped.length + mixed.length === 0) {
    return {
      ...base,
      revised: mixed.map((slice) => ({ from: rootOf(slice), to: null })),
      generation: published.number,
      corpus: await hashShown(lake, options),
    };
  }
  const search = `${lakePaths(lake).generation(published.number)}/${SEARCH_FOLDER}`;
  if (options.embedder === undefined) await requireEmbedder(search);
  const { fit } = await readIndexManifest(search);
  const { onProgress } = options;
  await announceRebuild({ lake, reason: "asked", published, slices: [...kept, ...mixed], onProgress });
  try {
    await verifySlices(
      kept.map(({ dir }) => dir),
      { signal, onBytes: verifyProgress(kept, onProgress) },
    );
    const revised = await reviseSlices(lake, mixed, [], { fromMs: cutoffMs, ...(signal ? { signal } : {}) });
    const { number } = await publishGeneration(
      {
        published,
        base: undefined,
        slices: [...kept, ...revised.flatMap(({ slice }) => slice ?? [])],
        removals: await readRemovals(lake),
      },
      { ...options, nowMs, localSet: fit !== undefined },
    );
    return {
      ...base,
      revised: revised.map(({ from: root, slice }) => ({ from: root, to: slice ? rootOf(slice) : null })),
      generation: number,
      corpus: await hashShown(lake, options),
    };
  } catch (error) {
    if ((await readPublished(lake, { nowMs }))?.number === published.number)
      await removeLeftovers(lake, published);
    throw error;
  }
}

function ageOf(text: string): number {
  const [, count, unit] = /^(\d{1,6})(h|d)$/.exec(text) ?? [];
  if (count === undefined) {
    throw new UsageError("invalid_age", `Not an age: ${text}`, {
      value: text,
      remedy: "give hours or days, such as 36h or 90d",
    });
  }
  return Number(count) * (unit === "h" ? 3_600_000 : 86_400_000);
}
