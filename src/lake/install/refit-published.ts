import type { RemovalList } from "../../store/removals/removal-list.js";
import { inBackground, type StepEnd } from "./background-step.js";
import { type PublishOptions, publishGeneration } from "./publish-generation.js";
import { readPublished } from "./published.js";
import { announceRebuild, type Rebuild, type RebuildReason } from "./rebuild.js";

/** What an install's refit did once its items could be searched. */
export interface RefitReport {
  /** Records that were embedded again: all that the lake shows. 0 where the refit ended before it was done. */
  readonly records: number;
  /**
   * Why the refit ended before it was done. The lake is whole, and searched with the embedder as it was; the next install refits
   * it. Absent where it was done.
   */
  readonly ended?: StepEnd;
}

/** The generation that is current after a refit. */
export interface Refitted {
  readonly number: number;
  readonly rebuild: Rebuild;
  readonly refit: RefitReport;
}

/**
 * Refits the embedder of the published generation to all that is shown, and publishes what comes of it. Rows and postings stay. The
 * published generation is searched meanwhile, and stays where the refit ends early: by the signal, or by the disk. Requires the install lock.
 * @throws what `publishGeneration` throws, but for the signal's reason and errors of the disk
 */
export async function refitPublished(
  { number, reason, removals }: RefitInputs,
  options: PublishOptions,
): Promise<Refitted> {
  const { lake, nowMs, signal, onProgress } = options;
  const published = (await readPublished(lake, { nowMs }))!;
  const announced = { lake, reason, published, slices: published.slices, refit: [], onProgress };
  const rebuild = await announceRebuild(announced);
  const step = await inBackground({ lake, number, signal }, async () => {
    signal?.throwIfAborted();
    const ingredients = { published, base: published, refit: true, sharesRows: true, slices: [], removals };
    return publishGeneration(ingredients, options);
  });
  if ("ended" in step) return { number, rebuild, refit: { records: 0, ended: step.ended } };
  return { number: step.done.number, rebuild, refit: { records: rebuild.records } };
}

/** What {@link refitPublished} refits. */
interface RefitInputs {
  /** The published generation. */
  readonly number: number;
  readonly reason: RebuildReason;
  readonly removals: RemovalList;
}
