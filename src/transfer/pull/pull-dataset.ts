import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../../contract/check-options.js";
import { MappingError, PullError } from "../../contract/errors.js";
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
import { loadAdapter } from "../../ingest/adapters/load-adapter.js";
import { MAPPING_FILE } from "../../ingest/adapters/mapping-file.js";
import { type IngestOptions, ingest } from "../../ingest/ingest.js";
import type { IngestProgress, IngestReport } from "../../ingest/ingest-report.js";
import { compileMapping } from "../../ingest/mapping/compile.js";
import { takePullLock } from "../../lake/install/install-lock.js";
import type { InstallOptions } from "../../lake/install/install-options.js";
import type { InstallReport } from "../../lake/install/install-report.js";
import { installSlices } from "../../lake/install/install-slices.js";
import { lakePaths } from "../../lake/lake-paths.js";
import { openOrCreate } from "../../lake/settings.js";
import { EmbedderOption } from "../../search/embed/embedder-option.js";
import { chooseRemoteFiles } from "../dataset/choose-remote-files.js";
import { DATASET_LAYOUTS, type DatasetLayout } from "../dataset/dataset-address.js";
import { DATASET_DEFAULTS } from "../dataset/defaults.js";
import { type OpenDataset, openDataset } from "../dataset/open-dataset.js";
import type { DatasetListing, RemoteFile } from "../dataset/remote-file.js";
import { systemEnvironment } from "../source/environment.js";
import { readDocument } from "../source/read-document.js";
import { PULL_DEFAULTS } from "./defaults.js";
import { downloadFile } from "./download-file.js";
import { removeOldIncoming } from "./incoming.js";
import { type TransferOptions, transferShape } from "./open-source.js";
import type { PullProgress } from "./pull-options.js";
import { runPool } from "./run-pool.js";
import { refuseTooLarge } from "./space.js";
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
  /** New folder that keeps the slices and `rejects.jsonl`. Default: they are removed once they are installed. */
  readonly out?: string;
  /** Whether too little free space is an error, default true. */
  readonly checkSpace?: boolean;
  readonly onProgress?: (
    progress: PullProgress | { readonly phase: "ingest"; readonly ingest: IngestProgress },
  ) => void;
}

/** What {@link pullDataset} would do. */
export interface DatasetPlan {
  readonly source: string;
  /** Commit of the dataset, on a Hugging Face hub. */
  readonly revision?: string | undefined;
  /** Whether it is a published folder of slices, for `pullSlices`; then the rest says nothing. */
  readonly hasSlices: boolean;
  /** Files that the dataset has, and whether the mapping reads them. `bytes` where the host says them. */
  readonly files: readonly {
    readonly path: string;
    readonly bytes?: number | undefined;
    readonly wanted: boolean;
  }[];
}

/** Result of {@link pullDataset}. */
export interface DatasetReport extends Omit<DatasetPlan, "hasSlices"> {
  /** Bytes of files that came over the network. */
  readonly bytesFetched: number;
  readonly ingest: IngestReport;
  /** Absent where no row became a record or a raw item. */
  readonly install?: InstallReport | undefined;
}

const OPTIONS = optionsSchema<PullDatasetOptions>(() => ({
  ...transferShape(),
  lake: PathOption,
  layout: z.enum(DATASET_LAYOUTS).optional(),
  adapter: z.union([TextOption, objectOption<Adapter>(["convert"], "an adapter")]).optional(),
  out: PathOption.optional(),
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
  const wanted = hasSlices ? [] : chooseRemoteFiles(listing, await adapterOf(opened, options));
  return { source, revision: listing.revision, hasSlices, files: planned(listing, wanted) };
}

/**
 * Pulls a dataset of plain files from its host into a lake: lists them, fetches what the mapping reads (in parallel, resuming
 * what was interrupted), converts it to slices as `ingest` does with the lake's salt, and installs these. The host is a
 * Hugging Face hub, whose files are those of one commit and are checked against its hashes, or a CKAN portal. Key and headers
 * go to the host's origin alone: neither to a server that it redirects to nor to one where a resource lies. What has come
 * when a pull ends, however it ends, is kept in the lake's `incoming` folder and used by the next.
 * @throws PullError `mapping_missing`, `source_invalid`, `pull_not_found`, `nothing_selected`, `file_corrupt`, `no_space`, …; UsageError for
 * a source or an option that is not valid; MappingError; IngestError; what `installSlices` throws; the signal's reason
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
    const adapter = await adapterOf(opened, at);
    const wanted = chooseRemoteFiles(opened.listing, adapter);
    return await writingTo(lake, () => fetchAndInstall(source, opened, adapter, wanted, at, stop));
  } finally {
    signal?.removeEventListener("abort", forward);
  }
}

async function fetchAndInstall(
  source: string,
  opened: OpenDataset,
  adapter: Adapter,
  wanted: readonly RemoteFile[],
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
    const out = options.out ?? join(own, "slices");
    if (options.out === undefined) await rm(out, { recursive: true, force: true });
    const { capturedAt, language, strict, skipBadFiles, authorSalt, embedder, threads } = options;
    const report = await ingest([folder], {
      adapter,
      out,
      ...(authorSalt === undefined ? { lake } : { authorSalt }),
      capturedAt,
      language,
      strict,
      skipBadFiles,
      signal,
      onProgress: (progress) => onProgress?.({ phase: "ingest", ingest: progress }),
    });
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
    await rm(own, { recursive: true, force: true });
    await removeOldIncoming(lake, environment.now());
    const files = planned(listing, wanted);
    return { source, revision: listing.revision, files, bytesFetched, ingest: report, install };
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

/** The adapter that was given, or the mapping that lies beside the data. */
async function adapterOf(
  { client, policy, listing, hasSlices }: OpenDataset,
  { adapter }: PullDatasetOptions,
): Promise<Adapter> {
  if (adapter !== undefined) return typeof adapter === "string" ? await loadAdapter(adapter) : adapter;
  const file = listing.files.find(({ path }) => path === MAPPING_FILE);
  if (file === undefined) {
    throw new PullError(
      "mapping_missing",
      hasSlices
        ? `${listing.name} holds slices, which need no mapping`
        : `${listing.name} has ${listing.files.length} files and no ${MAPPING_FILE} that says what they mean`,
      {
        value: listing.files.slice(0, 20).map(({ path }) => path),
        remedy: hasSlices
          ? "use pullSlices"
          : "write a mapping (`mirrorlake ingest --guess` makes one to start from) and name it: --adapter my-mapping.json",
      },
    );
  }
  const { bytes } = await readDocument(client, file.url, DATASET_DEFAULTS.maxMappingBytes, policy);
  let document: unknown;
  try {
    document = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (cause) {
    throw new MappingError(
      "unreadable_mapping",
      `${MAPPING_FILE} of ${listing.name}: ${(cause as Error).message}`,
      {
        value: MAPPING_FILE,
        remedy: "inform its publisher, or name a mapping of your own: --adapter my-mapping.json",
        cause,
      },
    );
  }
  return compileMapping(document);
}

/** Asks for room: the files, as much again for slices and indexes, and what is to be left. */
async function checkRoom(
  source: string,
  files: readonly RemoteFile[],
  { environment = systemEnvironment, lake, checkSpace = true }: PullDatasetOptions,
): Promise<void> {
  if (!checkSpace) return;
  const bytes = files.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  const bytesFree = await environment.freeBytes(await nearestFolder(lake));
  refuseTooLarge({ source, bytesFree, bytesNeeded: 2 * bytes + PULL_DEFAULTS.spareBytes }, lake);
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
