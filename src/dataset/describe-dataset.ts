import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { UsageError } from "../contract/errors.js";
import {
  CallbackOption,
  FlagOption,
  PathOption,
  PathsOption,
  SignalOption,
  TextOption,
} from "../contract/option-schemas.js";
import { makeFolder } from "../files/make-folder.js";
import { replaceOutput } from "../files/replace-output.js";
import { writingTo } from "../files/writing-to.js";
import { findSlices } from "../lake/find-slices.js";
import { refuseInLake } from "../lake/lake-slices.js";
import { sliceFolders } from "../lake/slice-folders.js";
import { datasetCard } from "./card.js";
import { croissant, type DatasetFacts } from "./croissant.js";
import type { PiiReport } from "./pii/pii-report.js";
import { type ScanProgress, scanSlices } from "./pii/scan-slices.js";
import { type DatasetSummary, summarise } from "./summary.js";

/** Files of {@link describeDataset}: machine-readable and human-readable. */
export const DESCRIPTION_FILES = { croissant: "croissant.json", card: "README.md" } as const;

/** Options of {@link describeDataset}; absent facts are taken from the slices. */
export interface DescribeOptions {
  /** Folder of the description; created if absent. */
  readonly out: string;
  readonly name?: string;
  readonly description?: string;
  /** Page of the dataset. Default: a URN of the slices' hashes. */
  readonly url?: string;
  readonly creators?: readonly string[];
  /** ISO 8601 day of publication. Default: the day of the newest capture. */
  readonly published?: string;
  readonly version?: string;
  /** Address of the published folder: file addresses are then absolute. */
  readonly baseUrl?: string;
  /** False skips the scan for e-mail addresses, phone numbers and handles; the card then says so. */
  readonly pii?: boolean;
  readonly onProgress?: (progress: ScanProgress) => void;
  readonly signal?: AbortSignal;
}

/** Result of a description. */
export interface DescribeReport {
  readonly croissant: string;
  readonly card: string;
  readonly summary: DatasetSummary;
  readonly pii?: PiiReport;
}

const OPTIONS = optionsSchema<DescribeOptions>(() => ({
  out: PathOption,
  name: TextOption.optional(),
  description: TextOption.optional(),
  url: z.string().optional(),
  creators: z.array(TextOption).optional(),
  published: z.string().optional(),
  version: TextOption.optional(),
  baseUrl: z.string().optional(),
  pii: FlagOption.optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

/**
 * Describes slices as a dataset: `croissant.json` (MLCommons Croissant 1.1) and `README.md`, a dataset card with counts per
 * platform, language and month, field coverage, licences, vector models and a statement on personal data. The same slices and
 * options give the same bytes.
 * @param dirs slices, folders of slices, or lakes
 * @throws UsageError `invalid_description` for an invalid address or day, `unwritable_folder`, `out_in_lake`; LakeError `slices_not_found`,
 * `slices_withheld`; SliceError for an invalid manifest; the signal's reason
 */
export async function describeDataset(
  dirs: readonly string[],
  options: DescribeOptions,
): Promise<DescribeReport> {
  checkArgument(PathsOption, dirs, "dirs", "describeDataset");
  checkOptions(OPTIONS, options, "describeDataset");
  const { out, signal, onProgress } = options;
  checkFormats(options);
  const found = await findSlices(await sliceFolders(dirs));
  await refuseInLake(out);
  const slices = found.toSorted((a, b) => (a.manifest.mirrorlake.root < b.manifest.mirrorlake.root ? -1 : 1));
  const given = { signal };
  const summary = await summarise(slices, given);
  const pii = options.pii === false ? undefined : await scanSlices(slices, { ...given, onProgress });
  const roots = slices.map(({ manifest }) => manifest.mirrorlake.root);
  const facts = factsOf(summary, roots, options);
  const report = {
    croissant: join(out, DESCRIPTION_FILES.croissant),
    card: join(out, DESCRIPTION_FILES.card),
    summary,
    pii,
  };
  await writingTo(out, async () => {
    await makeFolder(out);
    await replace(report.croissant, `${JSON.stringify(croissant(slices, summary, facts), null, 2)}\n`);
    await replace(report.card, datasetCard(summary, facts, pii));
  });
  return report;
}

function checkFormats({ url, baseUrl, published }: DescribeOptions): void {
  for (const address of [url, baseUrl]) {
    if (address !== undefined && !URL.canParse(address))
      refuse(address, "an address", "https://example.org/data/");
  }
  if (published !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(published))
    refuse(published, "a day", "2026-05-31");
}

function refuse(value: string, what: string, example: string): never {
  throw new UsageError("invalid_description", `${JSON.stringify(value)} is not ${what}`, {
    value,
    remedy: `write it like ${example}`,
  });
}

function factsOf(summary: DatasetSummary, roots: readonly string[], options: DescribeOptions): DatasetFacts {
  const name = options.name ?? summary.titles.join("; ");
  const { captured, platforms, languages, records, raw } = summary;
  const names = (of: DatasetSummary["platforms"]) => of.map((counts) => counts.name).join(", ");
  const digest = createHash("sha256").update(roots.join("\n")).digest("hex");
  const creators = options.creators ?? summary.contributors;
  return {
    name,
    description:
      options.description ??
      `${summary.titles.join("; ")}: ${records} records and ${raw} raw items of ${names(platforms)} in ${names(languages)}, ` +
        `captured from ${captured.first} to ${captured.last}.`,
    url: options.url ?? `urn:sha256:${digest}`,
    creators: creators.length > 0 ? creators : ["unknown"],
    datePublished: options.published ?? captured.last.slice(0, 10),
    version: options.version ?? "1.0.0",
    baseUrl: options.baseUrl,
  };
}

async function replace(path: string, text: string): Promise<void> {
  await replaceOutput(path, (temporary) => writeFile(temporary, text));
}
