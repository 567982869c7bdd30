import { checkArgument, checkOptions, optionsSchema } from "../../contract/check-options.js";
import { CallbackOption, PathsOption, SignalOption } from "../../contract/option-schemas.js";
import { findSlices } from "../../lake/find-slices.js";
import { lakePaths } from "../../lake/lake-paths.js";
import { isLake, lakeSlices } from "../../lake/lake-slices.js";
import { currentUnlessNew } from "../../lake/missing-current.js";
import type { PiiReport } from "./pii-report.js";
import { type ScanProgress, scanSlices } from "./scan-slices.js";

/** Options of {@link piiReport}. */
export interface PiiOptions {
  readonly onProgress?: (progress: ScanProgress) => void;
  readonly signal?: AbortSignal;
}

const OPTIONS = optionsSchema<PiiOptions>(() => ({
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

/**
 * Reports text in slices that looks like e-mail addresses, phone numbers or handles: counts per column, and masked examples. Of a
 * lake it scans the slices as stored on disk, including items that removals hide.
 * @param dirs slices, folders of slices, or lakes
 * @throws SliceError for an invalid manifest; LakeError `slices_not_found`, `lake_empty`, `lake_current_missing`, `generation_missing`; the signal's reason
 */
export async function piiReport(dirs: readonly string[], options: PiiOptions = {}): Promise<PiiReport> {
  checkArgument(PathsOption, dirs, "dirs", "piiReport");
  checkOptions(OPTIONS, options, "piiReport");
  const folders: string[] = [];
  for (const dir of dirs) {
    if (!(await isLake(dir))) folders.push(dir);
    else {
      await currentUnlessNew(dir);
      folders.push(...(await lakeSlices(dir)).map(({ mirrorlake }) => lakePaths(dir).slice(mirrorlake.root)));
    }
  }
  return scanSlices(await findSlices(folders), options);
}
