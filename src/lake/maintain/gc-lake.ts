import { resolve } from "node:path";
import { checkOptions, optionsSchema } from "../../contract/check-options.js";
import { FlagOption, PathOption } from "../../contract/option-schemas.js";
import { writingTo } from "../../files/writing-to.js";
import { takeInstallLock } from "../install/install-lock.js";
import { readPublished } from "../install/published.js";
import { readSettings } from "../settings.js";
import { bytesOf, findUnused, removeItem, type Unused } from "./remove-unused.js";

/** Options of {@link gcLake}. */
export interface GcOptions {
  readonly lake: string;
  /** Only reports what would be removed. */
  readonly dryRun?: boolean;
}

/** Files that a collection removed, or would remove. */
export interface GcReport {
  readonly dryRun: boolean;
  readonly items: readonly (Unused & { readonly bytes: number })[];
  /** Total bytes, including hard links to files that stay, which free nothing. */
  readonly bytes: number;
}

const OPTIONS = optionsSchema<GcOptions>(() => ({
  lake: PathOption,
  dryRun: FlagOption.optional(),
}));

/**
 * Removes unused files: slices of no generation, old generations without readers, folders of killed work. Never
 * files under a reader's lease.
 * @throws LakeError `lake_busy`, `lake_not_found`
 */
export async function gcLake(options: GcOptions): Promise<GcReport> {
  checkOptions(OPTIONS, options, "gcLake");
  const { dryRun = false } = options;
  const lake = resolve(options.lake);
  await readSettings(lake);
  return writingTo(lake, () => collect(lake, dryRun));
}

async function collect(lake: string, dryRun: boolean): Promise<GcReport> {
  const lock = await takeInstallLock(lake);
  try {
    const published = await readPublished(lake);
    const roots = (published?.slices ?? []).map(({ manifest }) => manifest.mirrorlake.root);
    const unused = await findUnused(lake, published?.number, new Set(roots));
    const items: (Unused & { bytes: number })[] = [];
    for (const item of unused) items.push({ ...item, bytes: await bytesOf(item.path) });
    if (!dryRun) for (const item of items) await removeItem(item);
    return { dryRun, items, bytes: items.reduce((sum, { bytes }) => sum + bytes, 0) };
  } finally {
    await lock.release();
  }
}
