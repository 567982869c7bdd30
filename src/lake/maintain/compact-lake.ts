import { join, resolve } from "node:path";
import { type Clock, systemClock } from "../../clock.js";
import { checkOptions, optionsSchema } from "../../contract/check-options.js";
import { LakeError } from "../../contract/errors.js";
import {
  CallbackOption,
  ClockOption,
  EngineThreadsOption,
  FlagOption,
  LakeFolderOption,
  SignalOption,
} from "../../contract/option-schemas.js";
import { writingTo } from "../../files/writing-to.js";
import { requireEmbedder } from "../../search/build-upon.js";
import type { Embedder } from "../../search/embed/embedder.js";
import { EmbedderOption } from "../../search/embed/embedder-option.js";
import { readIndexManifest } from "../../search/index-manifest.js";
import { verifySlices } from "../../slice/verify-slice.js";
import { grownBy, rowCounts } from "../../store/generation/generation-manifest.js";
import { rebuildRemedy } from "../../store/generation/rebuild-remedy.js";
import { takeInstallLock } from "../install/install-lock.js";
import { type InstallProgress, publishGeneration } from "../install/publish-generation.js";
import { type Published, readPublished } from "../install/published.js";
import { announceRebuild } from "../install/rebuild.js";
import { reviseSlices } from "../install/revise-slices.js";
import { verifyProgress } from "../install/verify-progress.js";
import { SEARCH_FOLDER } from "../lake-paths.js";
import { whyNoCurrent } from "../missing-current.js";
import { heldGenerations, upgradeLocks } from "../open/leases.js";
import { removedFrom } from "../open/open-view.js";
import { readRemovals } from "../removals/removals-file.js";
import { readSettings } from "../settings.js";
import { hashShown } from "./hash-shown.js";
import { currentBytes, removeLeftovers } from "./remove-unused.js";
import { tidyIncoming } from "./unused-incoming.js";

/** Options of {@link compactLake}. */
export interface CompactOptions {
  readonly lake: string;
  /** Embedder of the lake's second vector set, if it has one. */
  readonly embedder?: Embedder;
  /**
   * Refits the lake's embedder to the remaining content, as `install --rebuild` does: vectors and rankings may
   * change.
   */
  readonly refit?: boolean;
  readonly threads?: number;
  readonly clock?: Clock;
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly signal?: AbortSignal;
}

/** Result of compacting. */
export interface CompactReport {
  readonly generation: number;
  /** `none`: nothing to merge or purge. */
  readonly change: "none" | "compacted";
  readonly segments: { readonly before: number; readonly after: number };
  /** Rows of replaced and removed records and raw items that were purged. */
  readonly dropped: { readonly records: number; readonly raw: number };
  /** Slices with removed content and their revisions; null if a revision would be empty. */
  readonly revised: readonly { readonly from: string; readonly to: string | null }[];
  /** Earlier generations that processes still read; `gc` removes them later. */
  readonly heldGenerations: readonly number[];
  /** Hash of the corpus, equal before and after. */
  readonly corpus: string;
}

const OPTIONS = optionsSchema<CompactOptions>(() => ({
  lake: LakeFolderOption,
  embedder: EmbedderOption.optional(),
  refit: FlagOption.optional(),
  threads: EngineThreadsOption.optional(),
  clock: ClockOption.optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

/**
 * Rewrites a lake without hidden content: revisions replace slices with removed content, and a new generation
 * with one segment replaces the current one. What the lake shows stays the same. Without removals the fitted embedder is
 * reused, so vectors and scores stay too; approximate candidates of searches may be others. Afterwards neither slices nor the generation contain bytes of removed content.
 * Readers keep their generation. Atomic, like an install.
 * @throws LakeError `lake_busy`, `lake_empty`, `compact_hash_differs`; SliceError for a damaged slice; the
 * signal's reason
 */
export async function compactLake(options: CompactOptions): Promise<CompactReport> {
  checkOptions(OPTIONS, options, "compactLake");
  const lake = resolve(options.lake);
  const at = { ...options, lake };
  await readSettings(lake);
  return writingTo(
    lake,
    async () => {
      const lock = await takeInstallLock(lake);
      try {
        const report = await compact(at);
        await upgradeLocks(lake);
        return report;
      } finally {
        await lock.release();
      }
    },
    () => currentBytes(lake),
  );
}

async function compact(options: CompactOptions): Promise<CompactReport> {
  const { lake, signal, clock = systemClock, refit = false, onProgress } = options;
  const nowMs = clock.now();
  const published = await readPublished(lake, { nowMs });
  if (published === undefined || published.number === 0) throw await whyNoCurrent(lake);
  const { manifest, number, dir } = published;
  if (manifest === undefined) {
    throw new LakeError("generation_invalid", `${dir} is damaged, or of another version of Mirrorlake`, {
      value: dir,
      remedy: rebuildRemedy(lake),
    });
  }
  await removeLeftovers(lake, published);
  const corpus = await hashShown(lake, options);
  const { rows: removed } = await removedFrom(lake, number, dir);
  const rows = rowCounts(manifest);
  const hidden = removed.records.length + removed.raw.length + removed.redactedRecords.length;
  const withheld = new Set(Object.keys(removed.slices));
  const spare = rows.records - manifest.liveRecords + rows.raw - manifest.liveRaw;
  const earlier = async () => [...(await heldGenerations(lake))].filter((n) => n !== number);
  if (manifest.segments.length === 1 && hidden + withheld.size + spare === 0 && !refit) {
    // A compaction that was killed after its publication may have left removed content behind.
    const held = published.slices.map((slice) => slice.manifest);
    await tidyIncoming(lake, held, nowMs);
    return {
      generation: number,
      change: "none",
      segments: { before: 1, after: 1 },
      dropped: { records: 0, raw: 0 },
      revised: [],
      heldGenerations: await earlier(),
      corpus,
    };
  }
  const search = join(dir, SEARCH_FOLDER);
  if (options.embedder === undefined) await requireEmbedder(search);
  const index = await readIndexManifest(search);
  const removals = await readRemovals(lake);
  const kept = published.slices.filter((slice) => !withheld.has(slice.manifest.mirrorlake.root));
  await announceRebuild({ lake, reason: "asked", published, slices: published.slices, onProgress });
  await verifySlices(
    kept.map(({ dir }) => dir),
    { signal, onBytes: verifyProgress(kept, onProgress) },
  );
  try {
    const revised = await reviseSlices(
      lake,
      published.slices.filter((slice) => withheld.has(slice.manifest.mirrorlake.root)),
      [...removals.removals()],
      { signal },
    );
    for (const { from, slice } of revised) {
      if (slice !== undefined) continue;
      const at = new Date(nowMs).toISOString();
      removals.add({
        removal: { kind: "slice", root: from },
        at,
        reason: "nothing is left of it",
        derived: true,
      });
    }
    // A model fitted to removed texts knows some of their words, so it goes too.
    const clean = removals.size === 0 || hidden + withheld.size + spare === 0;
    const serves = index.fit !== undefined && clean && !refit;
    const { number: next, built } = await publishGeneration(
      {
        published,
        base: undefined,
        slices: [...kept, ...revised.flatMap(({ slice }) => slice ?? [])],
        removals,
      },
      {
        ...options,
        nowMs,
        localSet: index.fit !== undefined,
        fit: serves ? { dir: search, grown: grownBy(manifest) } : undefined,
      },
    );
    const after = await hashShown(lake, options);
    if (after !== corpus) {
      throw new LakeError("compact_hash_differs", "What the lake shows has changed by compacting it", {
        value: { before: corpus, after },
        remedy: "report it; mirrorlake verify says more",
      });
    }
    return {
      generation: next,
      change: "compacted",
      segments: { before: manifest.segments.length, after: built.manifest.segments.length },
      dropped: {
        records: rows.records - built.manifest.liveRecords,
        raw: rows.raw - built.manifest.liveRaw,
      },
      revised: revised.map(({ from, slice }) => ({ from, to: slice?.manifest.mirrorlake.root ?? null })),
      heldGenerations: [...(await heldGenerations(lake))].filter((n) => n !== next),
      corpus,
    };
  } catch (error) {
    await tidy(lake, published, nowMs);
    throw error;
  }
}

async function tidy(lake: string, before: Published, nowMs: number): Promise<void> {
  const now = await readPublished(lake, { nowMs });
  if (now?.number === before.number) await removeLeftovers(lake, before);
}
