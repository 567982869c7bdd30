import { resolve } from "node:path";
import { type Clock, systemClock } from "../../clock.js";
import { checkOptions, optionsSchema } from "../../contract/check-options.js";
import { ClockOption, FlagOption, LakeFolderOption } from "../../contract/option-schemas.js";
import { writingTo } from "../../files/writing-to.js";
import { type LakeLock, takeInstallLock } from "../install/install-lock.js";
import { readPublished } from "../install/published.js";
import { readSettings } from "../settings.js";
import { bytesOf, findUnused, removeItem, type Unused } from "./remove-unused.js";
import { findIncoming, lockIncoming, removeEmptyIncoming } from "./unused-incoming.js";

/** Options of {@link gcLake}. */
export interface GcOptions {
  readonly lake: string;
  /** Only reports what would be removed. */
  readonly dryRun?: boolean;
  /** Clock by which the leftovers of pulls are old. */
  readonly clock?: Clock;
}

/** Files that a collection removed, or would remove. */
export interface GcReport {
  readonly dryRun: boolean;
  /** Number of the generation that CURRENT names again, or would name, where the file was missing. */
  readonly restored?: number | undefined;
  readonly items: readonly (Unused & { readonly bytes: number })[];
  /** Total bytes, including hard links to files that stay, which free nothing. */
  readonly bytes: number;
}

const OPTIONS = optionsSchema<GcOptions>(() => ({
  lake: LakeFolderOption,
  dryRun: FlagOption.optional(),
  clock: ClockOption.optional(),
}));

/**
 * Removes unused files: slices of no generation, old generations without readers, folders of killed work, what pulls left
 * of slices that the lake holds or no longer wants, and what no pull came back for in 14 days. Never files under a reader's lease, nor
 * those of a pull that is under way. Where CURRENT is missing, it names the newest complete generation again.
 * @throws LakeError `lake_busy`, `lake_not_found`; `removals_corrupt`, `removals_missing` where CURRENT is missing
 */
export async function gcLake(options: GcOptions): Promise<GcReport> {
  checkOptions(OPTIONS, options, "gcLake");
  const { dryRun = false } = options;
  const lake = resolve(options.lake);
  await readSettings(lake);
  return writingTo(lake, () => collect(lake, dryRun, (options.clock ?? systemClock).now()));
}

async function collect(lake: string, dryRun: boolean, nowMs: number): Promise<GcReport> {
  const lock = await takeInstallLock(lake);
  let pullLock: LakeLock | undefined;
  try {
    const published = await readPublished(lake, { nowMs, dryRun });
    const held = (published?.slices ?? []).map(({ manifest }) => manifest);
    const roots = held.map(({ mirrorlake }) => mirrorlake.root);
    const unused = await findUnused(lake, published?.number, new Set(roots));
    pullLock = await lockIncoming(lake);
    if (pullLock !== undefined) unused.push(...(await findIncoming(lake, held, nowMs)).unused);
    const items: (Unused & { bytes: number })[] = [];
    for (const item of unused) items.push({ ...item, bytes: await bytesOf(item.path) });
    if (!dryRun) for (const item of items) await removeItem(item);
    if (pullLock !== undefined && !dryRun) await removeEmptyIncoming(lake);
    const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
    return { dryRun, restored: published?.restored, items, bytes };
  } finally {
    await pullLock?.release();
    await lock.release();
  }
}
