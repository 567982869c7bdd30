import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../../contract/check-options.js";
import type { PulledDataset } from "../../contract/lake/pulled-datasets.js";
import {
  CallbackOption,
  FlagOption,
  objectOption,
  PathOption,
  SignalOption,
  TextOption,
  ThreadsOption,
} from "../../contract/option-schemas.js";
import { makeFolder } from "../../files/make-folder.js";
import { nearestFolder } from "../../files/nearest-folder.js";
import { writingTo } from "../../files/writing-to.js";
import type { Adapter } from "../../ingest/adapters/adapter.js";
import { type IngestOptions, ingest } from "../../ingest/ingest.js";
import type { IngestProgress, IngestReport } from "../../ingest/ingest-report.js";
import { LAKE_DEFAULTS } from "../../lake/defaults.js";
import { indexBytes } from "../../lake/install/index-bytes.js";
import { takePullLock } from "../../lake/install/install-lock.js";
import type { InstallOptions } from "../../lake/install/install-options.js";
import { installSlices } from "../../lake/install/install-slices.js";
import { lakePaths } from "../../lake/lake-paths.js";
import { lakeSlices } from "../../lake/lake-slices.js";
import { lastPulled, rememberPulled } from "../../lake/pulled-datasets-file.js";
import { openOrCreate } from "../../lake/settings.js";
import { EmbedderOption } from "../../search/embed/embedder-option.js";
import { chooseRemoteFiles } from "../dataset/choose-remote-files.js";
import { DATASET_LAYOUTS, type DatasetLayout } from "../dataset/dataset-address.js";
import { type OpenDataset, openDataset } from "../dataset/open-dataset.js";
import type { DatasetListing, RemoteFile } from "../dataset/remote-file.js";
import { systemEnvironment } from "../source/environment.js";
import { datasetAdapter } from "./dataset-adapter.js";
import { DatasetOutput } from "./dataset-output.js";
import { type DatasetPlan, type DatasetReport, keptReport, replacedBy } from "./dataset-report.js";
import { FETCHED_IS_KEPT, PULL_DEFAULTS } from "./defaults.js";
import { downloadFile } from "./download-file.js";
import { removeOldIncoming } from "./incoming.js";
import { type TransferOptions, transferShape } from "./open-source.js";
import type { PullProgress } from "./pull-options.js";
import { runPool } from "./run-pool.js";
import { refuseTooLarge, withSpare } from "./space.js";
import { TransferMeter } from "./transfer-meter.js";

/** Options of {@link pullDataset}. */
export interface PullDatasetOptions
  extends TransferOptions,
    Pick<InstallOptions, "lake" | "embedder" | "threads" | "signal">,
    Pick<IngestOptions, "capturedAt" | "language" | "strict" | "skipBadFiles" | "authorSalt"> {
  /** What kind of host the address is of, where the address does not say it. */
  readonly layout?: DatasetLayout;
  /** The adapter, its name, or the path of a mapping file. Default: the dataset's own `mirrorlake-mapping.json`. */
  readonly adapter?: Adapter | string;
  /**
   * Folder that gets a copy of the slices, and `rejects.jsonl`, once the lake has them: a new one, or that of an earlier pull of the
   * same. Default: the lake alone has the slices, and nothing keeps the rejects.
   */
  readonly out?: string;
  /** Whether `out` may hold the output of an earlier run, which is then replaced. */
  readonly replace?: boolean;
  /** Whether what the last pull of this dataset brought stays beside what this one brings. Default: this takes its place. */
  readonly keepOlder?: boolean;
  /** Whether too little free space is an error, default true. */
  readonly checkSpace?: boolean;
  readonly onProgress?: (
    progress: PullProgress | { readonly phase: "ingest"; readonly ingest: IngestProgress },
  ) => void;
}

const OPTIONS = optionsSchema<PullDatasetOptions>(() => ({
  ...transferShape(),
  lake: PathOption,
  layout: z.enum(DATASET_LAYOUTS).optional(),
  adapter: z.union([TextOption, objectOption<Adapter>(["convert"], "an adapter")]).optional(),
  out: PathOption.optional(),
  replace: FlagOption.optional(),
  keepOlder: FlagOption.optional(),
  capturedAt: z.string().optional(),
  language: z.string().optional(),
  strict: FlagOption.optional(),
  skipBadFiles: FlagOption.optional(),
  authorSalt: z.string().optional(),
  checkSpace: FlagOption.optional(),
  embedder: EmbedderOption.optional(),
  threads: ThreadsOption.optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

/**
 * What {@link pullDataset} would do: it reads the list of files and the mapping, and changes nothing.
 * @throws as {@link pullDataset} does
 */
export async function planDataset(source: string, options: PullDatasetOptions): Promise<DatasetPlan> {
  checkArgument(TextOption, source, "source", "planDataset");
  checkOptions(OPTIONS, options, "planDataset");
  const opened = await openDataset(source, options.layout, options, options.signal);
  const { listing, hasSlices } = opened;
  const wanted = hasSlices ? [] : chooseRemoteFiles(listing, await datasetAdapter(opened, options.adapter));
  return { source, revision: listing.revision, hasSlices, files: planned(listing, wanted) };
}

/**
 * Pulls a dataset of plain files from its host into a lake: lists them, fetches what the mapping reads (in parallel, resuming
 * what was interrupted), converts it to slices as `ingest` does with the lake's salt, and installs these. The host is a
 * Hugging Face hub, whose files are those of one commit and are checked against its hashes, or a CKAN portal. Key and headers
 * go to the host's origin alone: neither to a server that it redirects to nor to one where a resource lies. What has come
 * when a pull ends, however it ends, is kept in the lake's `incoming` folder and used by the next.
 *
 * The lake remembers what the last pull of a dataset with an adapter of the same name brought. Another pull of it, at whatever revision,
 * takes the place of that as a whole (`revises`): of rows that changed the new ones are shown, rows that are no more are gone. Nothing
 * changes where the rows are the same, and what gives no rows at all takes the place of nothing.
 * @throws PullError `mapping_missing`, `source_invalid`, `pull_not_found`, `nothing_selected`, `file_corrupt`, `no_space`, …; UsageError for
 * a source or an option that is not valid, `out_not_empty`; LakeError `datasets_invalid`; MappingError; IngestError; what `installSlices` throws; the signal's reason
 */
export async function pullDataset(source: string, options: PullDatasetOptions): Promise<DatasetReport> {
  checkArgument(TextOption, source, "source", "pullDataset");
  checkOptions(OPTIONS, options, "pullDataset");
  const stop = new AbortController();
  const { signal } = options;
  const lake = resolve(options.lake);
  const at = { ...options, lake, out: options.out === undefined ? undefined : resolve(options.out) };
  const forward = () => stop.abort(signal?.reason);
  signal?.addEventListener("abort", forward, { once: true });
  if (signal?.aborted) forward();
  try {
    const opened = await openDataset(source, at.layout, at, stop.signal);
    const adapter = await datasetAdapter(opened, at.adapter);
    const wanted = chooseRemoteFiles(opened.listing, adapter);
    const revision = opened.listing.revision ?? null;
    const dataset = { source: opened.identity, adapter: adapter.name, revision };
    const output = await DatasetOutput.examine(
      at.out,
      at.replace ?? false,
      await lastPulled(lake, dataset),
      revision,
    );
    const chosen = { source, opened, adapter, wanted, dataset, output };
    return await writingTo(lake, () => fetchAndInstall(chosen, at, stop), undefined, FETCHED_IS_KEPT);
  } finally {
    signal?.removeEventListener("abort", forward);
  }
}

/** What is pulled. */
interface Chosen {
  readonly source: string;
  readonly opened: OpenDataset;
  readonly adapter: Adapter;
  readonly wanted: readonly RemoteFile[];
  readonly dataset: Omit<PulledDataset, "slices">;
  readonly output: DatasetOutput | undefined;
}

async function fetchAndInstall(
  { source, opened, adapter, wanted, dataset, output }: Chosen,
  options: PullDatasetOptions,
  stop: AbortController,
): Promise<DatasetReport> {
  const { environment = systemEnvironment, lake, onProgress, signal } = options;
  const { listing } = opened;
  await checkRoom(source, wanted, options);
  await openOrCreate(lake);
  const lock = await takePullLock(lake);
  try {
    const own = join(lakePaths(lake).incoming, `dataset-${fingerprint(source, listing)}`);
    const folder = join(own, listing.name);
    const bytesFetched = await fetchFiles(opened, wanted, folder, options, stop);
    const made = join(own, "slices");
    await rm(made, { recursive: true, force: true });
    const before = options.keepOlder ? undefined : await lastPulled(lake, dataset);
    const { capturedAt, language, strict, skipBadFiles, authorSalt, embedder, threads } = options;
    const report = await ingest([folder], {
      adapter,
      out: made,
      ...(authorSalt === undefined ? { lake } : { authorSalt }),
      capturedAt,
      language,
      strict,
      skipBadFiles,
      revises: before?.slices,
      keepSame: true,
      signal,
      onProgress: (progress) => onProgress?.({ phase: "ingest", ingest: progress }),
    });
    await output?.checkSame(report.slices);
    await checkIndexRoom(source, report.slices, options);
    const install =
      report.slices.length === 0
        ? undefined
        : await installSlices(
            report.slices.map(({ dir }) => dir),
            {
              lake,
              embedder,
              threads,
              signal,
              onProgress: (progress) => onProgress?.({ phase: "install", install: progress }),
            },
          );
    if (install !== undefined)
      await rememberPulled(lake, { ...dataset, slices: report.slices.map(({ manifest }) => manifest) });
    await output?.keep(made);
    await rm(own, { recursive: true, force: true });
    await removeOldIncoming(lake, environment.now());
    const files = planned(listing, wanted);
    return {
      source,
      revision: listing.revision,
      files,
      bytesFetched,
      ingest: keptReport(report, lake, output?.path),
      replaced: install === undefined ? undefined : replacedBy(report.slices, before),
      install,
    };
  } finally {
    await lock.release();
  }
}

async function fetchFiles(
  { client, policy }: OpenDataset,
  files: readonly RemoteFile[],
  folder: string,
  {
    environment = systemEnvironment,
    concurrency = PULL_DEFAULTS.concurrency,
    onProgress,
  }: PullDatasetOptions,
  stop: AbortController,
): Promise<number> {
  const total = files.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  const meter = new TransferMeter(total, files.length, environment.now, (progress) =>
    onProgress?.({ phase: "download", ...progress }),
  );
  await runPool(
    files,
    concurrency,
    async ({ path, url, ...expected }) => {
      const to = join(folder, path);
      await makeFolder(dirname(to));
      await downloadFile(client, url, to, { ...expected, label: path }, { ...policy, meter });
      meter.fileDone();
    },
    (reason) => stop.abort(reason),
  );
  return meter.bytesFetched;
}

/** Asks for room: the files, as much again for slices, and what indexes may take, up to a limit, for how many rows come is not known. */
async function checkRoom(
  source: string,
  files: readonly RemoteFile[],
  { environment = systemEnvironment, lake, checkSpace = true }: PullDatasetOptions,
): Promise<void> {
  if (!checkSpace) return;
  const bytes = files.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  const { spareBytes, datasetIndexShare } = PULL_DEFAULTS;
  const indexes = files.some(({ bytes }) => bytes === undefined)
    ? spareBytes
    : Math.min(spareBytes, LAKE_DEFAULTS.indexBytes + datasetIndexShare * bytes);
  const bytesFree = await environment.freeBytes(await nearestFolder(lake));
  refuseTooLarge({ source, bytesFree, bytesNeeded: 2 * bytes + indexes }, lake);
}

/** Asks for room for the indexes, once the rows are known. */
async function checkIndexRoom(
  source: string,
  made: IngestReport["slices"],
  { environment = systemEnvironment, lake, checkSpace = true }: PullDatasetOptions,
): Promise<void> {
  if (!checkSpace || made.length === 0) return;
  const counts = made.map(({ manifest }) => manifest.mirrorlake.counts);
  const bytesNeeded = withSpare(indexBytes(await lakeSlices(lake), counts));
  refuseTooLarge({ source, bytesFree: await environment.freeBytes(lake), bytesNeeded }, lake);
}

function planned({ files }: DatasetListing, wanted: readonly RemoteFile[]): DatasetPlan["files"] {
  const chosen = new Set(wanted);
  return files.map((file) => ({ path: file.path, bytes: file.bytes, wanted: chosen.has(file) }));
}

/** Names a state of a dataset: files that came of another one are not mixed with it. */
function fingerprint(source: string, { revision, files }: DatasetListing): string {
  const state = JSON.stringify([source, revision ?? files]);
  return createHash("sha256").update(state).digest("hex").slice(0, 16);
}
