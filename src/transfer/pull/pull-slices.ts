import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../../contract/check-options.js";
import { PullError } from "../../contract/errors.js";
import {
  CallbackOption,
  EngineThreadsOption,
  FlagOption,
  PathOption,
  SignalOption,
  TextOption,
} from "../../contract/option-schemas.js";
import { counted } from "../../contract/quantity.js";
import type { SliceIndexEntry } from "../../contract/slice/slice-index.js";
import { makeFolder } from "../../files/make-folder.js";
import { nearestFolder } from "../../files/nearest-folder.js";
import { writingTo } from "../../files/writing-to.js";
import { indexBytes } from "../../lake/install/index-bytes.js";
import { takePullLock } from "../../lake/install/install-lock.js";
import type { InstallOptions } from "../../lake/install/install-options.js";
import type { InstallReport } from "../../lake/install/install-report.js";
import { installSlices } from "../../lake/install/install-slices.js";
import type { InstallProgress } from "../../lake/install/publish-generation.js";
import { lakePaths } from "../../lake/lake-paths.js";
import { lakeSlices } from "../../lake/lake-slices.js";
import { openOrCreate } from "../../lake/settings.js";
import { EmbedderOption } from "../../search/embed/embedder-option.js";
import { systemEnvironment } from "../source/environment.js";
import type { SliceSource } from "../source/slice-source.js";
import { PULL_DEFAULTS } from "./defaults.js";
import { fetchSlices } from "./fetch-slices.js";
import { bytesWaiting, removeIncoming, removeOldIncoming } from "./incoming.js";
import { openSource, type TransferOptions, transferShape } from "./open-source.js";
import { type PullFilter, toSliceFilter } from "./pull-filter.js";
import { refuseLacking } from "./refuse-lacking.js";
import { type SelectedSlices, selectSlices } from "./select-slices.js";
import { refuseTooLarge } from "./space.js";
import type { TransferProgress } from "./transfer-meter.js";

/** Progress of a pull: the transfer of files, then the install. */
export type PullProgress =
  | ({ readonly phase: "download" } & TransferProgress)
  | { readonly phase: "install"; readonly install: InstallProgress };

/** Options of {@link pullSlices}. */
export interface PullOptions
  extends TransferOptions,
    Pick<InstallOptions, "lake" | "embedder" | "threads" | "signal"> {
  readonly filter?: PullFilter;
  /** Only slices of these roots. */
  readonly roots?: readonly string[];
  /** Whether too little free space is an error, default true. The size of the lake's indexes is an estimate. */
  readonly checkSpace?: boolean;
  readonly onProgress?: (progress: PullProgress) => void;
}

/** A slice of a source's index with its state in the pull. */
export interface PlannedSlice extends Pick<SliceIndexEntry, "root" | "name" | "bytes" | "filter" | "counts"> {
  /** `wanted`: to be fetched; `present` in the lake; `superseded` by another that is wanted or present. */
  readonly state: "wanted" | "present" | "superseded";
}

/** Plan of a pull. */
export interface PullPlan {
  readonly source: string;
  readonly slices: readonly PlannedSlice[];
  /** Bytes of the wanted slices, and of these what an earlier pull has left in the lake. */
  readonly bytes: number;
  readonly bytesThere: number;
  /** Bytes free where the lake is or will be, and how many the pull asks for: files, and the lake's indexes over them. */
  readonly bytesFree: number;
  readonly bytesNeeded: number;
}

/** Result of a pull. */
export interface PullReport extends Pick<PullPlan, "source" | "slices" | "bytes"> {
  /** Bytes of files that came over the network. */
  readonly bytesFetched: number;
  /** Absent where nothing was wanted. */
  readonly install?: InstallReport;
}

const OPTIONS = optionsSchema<PullOptions>(() => ({
  ...transferShape(),
  lake: PathOption,
  filter: z
    .strictObject({
      domain: z.string().optional(),
      platform: z.string().optional(),
      lang: z.string().optional(),
      from: z.string().optional(),
      to: z.string().optional(),
    })
    .optional(),
  roots: z.array(TextOption).optional(),
  checkSpace: FlagOption.optional(),
  embedder: EmbedderOption.optional(),
  threads: EngineThreadsOption.optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

/**
 * What {@link pullSlices} would do: it reads the source's index and changes nothing.
 * @throws PullError, UsageError as {@link pullSlices} does
 */
export async function planPull(source: string, options: PullOptions): Promise<PullPlan> {
  checkArgument(TextOption, source, "source", "planPull");
  checkOptions(OPTIONS, options, "planPull");
  const opened = await openSource(source, options, options.signal);
  return planOf(opened, await select(opened, options), options);
}

/**
 * Pulls slices into a lake: chooses from what the source has, fetches what the lake does not hold (in parallel, resuming
 * what was interrupted, every file checked against its SHA-256 as it comes in), and installs it. The source is a published
 * folder or a Mirrorlake server by its http(s) address, a folder, or a .zip. It is not trusted: a slice's root proves its
 * manifest, and that proves every file. What has come when a pull ends, however it ends, is kept in the lake's `incoming`
 * folder and used by the next.
 * @throws PullError `source_not_found`, `source_unreachable`, `offline`, `no_space`, `nothing_selected`, `file_corrupt`, …;
 * UsageError for a filter that is not valid; what {@link installSlices} throws; the signal's reason
 */
export async function pullSlices(source: string, options: PullOptions): Promise<PullReport> {
  checkArgument(TextOption, source, "source", "pullSlices");
  checkOptions(OPTIONS, options, "pullSlices");
  const { roots, ...rest } = options;
  const [report] = (await pullJobs([roots === undefined ? { source } : { source, roots }], rest)).reports;
  return report!;
}

/** One source of a pull. */
export interface PullJob {
  readonly source: string;
  /** Only slices of these roots. */
  readonly roots?: readonly string[];
  /** Whether a missing root is an error. */
  readonly exactly?: boolean;
}

/** Pulls from several sources and installs all slices at once. Every report has the install's report. */
export async function pullJobs(
  jobs: readonly PullJob[],
  options: Omit<PullOptions, "roots">,
): Promise<{ readonly reports: readonly PullReport[]; readonly install?: InstallReport }> {
  const { lake, signal } = options;
  const stop = new AbortController();
  const forward = () => stop.abort(signal?.reason);
  signal?.addEventListener("abort", forward, { once: true });
  if (signal?.aborted) forward();
  try {
    const opened: Opened[] = [];
    for (const job of jobs) opened.push(await openJob(job, options, stop.signal));
    const wanted = opened.flatMap(({ wanted }) => wanted);
    if (wanted.length === 0) return { reports: opened.map(({ plan }) => reportOf(plan, 0, undefined)) };
    const bytes = opened.reduce((sum, { plan }) => sum + plan.bytesNeeded, 0);
    return await writingTo(
      lake,
      () => fetchAndInstall(opened, wanted, options, stop),
      async () => bytes,
    );
  } finally {
    signal?.removeEventListener("abort", forward);
  }
}

async function fetchAndInstall(
  opened: readonly Opened[],
  wanted: readonly string[],
  options: Omit<PullOptions, "roots">,
  stop: AbortController,
): Promise<{ readonly reports: readonly PullReport[]; readonly install?: InstallReport }> {
  const { environment = systemEnvironment, lake } = options;
  await openOrCreate(lake);
  const lock = await takePullLock(lake);
  try {
    const fetched: { readonly dirs: readonly string[]; readonly bytesFetched: number }[] = [];
    for (const { source, plan, wanted } of opened)
      fetched.push(await bring(source, plan, wanted, options, stop));
    const install = await installSlices(
      fetched.flatMap(({ dirs }) => dirs),
      installOptions(options),
    );
    await removeIncoming(lake, wanted);
    await removeOldIncoming(lake, environment.now());
    return {
      reports: opened.map(({ plan }, i) => reportOf(plan, fetched[i]!.bytesFetched, install)),
      install,
    };
  } finally {
    await lock.release();
  }
}

/** An open source and the selection from it. */
interface Opened {
  readonly source: SliceSource;
  readonly plan: PullPlan;
  readonly wanted: readonly string[];
}

async function openJob(
  { source, roots, exactly = false }: PullJob,
  options: Omit<PullOptions, "roots">,
  signal: AbortSignal,
): Promise<Opened> {
  const opened = await openSource(source, options, signal);
  const given = roots === undefined ? options : { ...options, roots };
  const chosen = await select(opened, given, exactly);
  const plan = await planOf(opened, chosen, given);
  if (options.checkSpace ?? true) refuseTooLarge(plan, options.lake);
  return { source: opened, plan, wanted: chosen.wanted.map(({ root }) => root) };
}

function reportOf(plan: PullPlan, bytesFetched: number, install: InstallReport | undefined): PullReport {
  const { source, slices, bytes } = plan;
  return { source, slices, bytes, bytesFetched, install };
}

/** Folders of the slices: where they stand, or where they were fetched to. */
async function bring(
  source: SliceSource,
  plan: PullPlan,
  roots: readonly string[],
  options: Omit<PullOptions, "roots">,
  stop: AbortController,
): Promise<{ dirs: readonly string[]; bytesFetched: number }> {
  const {
    environment = systemEnvironment,
    lake,
    concurrency = PULL_DEFAULTS.concurrency,
    onProgress,
  } = options;
  const standing = roots.flatMap((root) => source.folder(root) ?? []);
  if (standing.length === roots.length) return { dirs: standing, bytesFetched: 0 };
  const { incoming } = lakePaths(lake);
  await makeFolder(incoming);
  return fetchSlices(source, roots, {
    incoming,
    concurrency,
    now: environment.now,
    abort: (reason) => stop.abort(reason),
    beforeFiles: async (toCome) => {
      if (options.checkSpace === false) return;
      const bytesFree = await environment.freeBytes(incoming);
      const bytesNeeded = plan.bytesNeeded - (plan.bytes - plan.bytesThere) + toCome;
      refuseTooLarge({ source: source.name, bytesFree, bytesNeeded }, lake);
    },
    onProgress: (progress) => onProgress?.({ phase: "download", ...progress }),
  });
}

async function select(source: SliceSource, options: PullOptions, exactly = false): Promise<SelectedSlices> {
  const filter = toSliceFilter(options.filter ?? {});
  const listed = await source.list();
  const held = await lakeSlices(options.lake);
  const chosen = selectSlices(listed, {
    filter,
    roots: options.roots === undefined ? undefined : new Set(options.roots),
    present: new Set(held.map(({ mirrorlake }) => mirrorlake.root)),
    superseded: new Set(held.flatMap(({ mirrorlake }) => mirrorlake.supersedes)),
  });
  if (exactly) refuseLacking(source, options.roots ?? [], chosen);
  if (chosen.wanted.length + chosen.present.length + chosen.superseded.length > 0) return chosen;
  throw new PullError(
    "nothing_selected",
    `${source.name} has ${counted(listed.length, "slice")}, of which none is selected`,
    {
      value: options.roots ?? options.filter,
      remedy: "widen the filter; `--dry-run` without one lists what there is",
    },
  );
}

async function planOf(source: SliceSource, chosen: SelectedSlices, options: PullOptions): Promise<PullPlan> {
  const { environment = systemEnvironment, lake } = options;
  const slices = (["wanted", "present", "superseded"] as const).flatMap((state) =>
    chosen[state].map(({ root, name, bytes, filter, counts }) => ({
      root,
      name,
      bytes,
      filter,
      counts,
      state,
    })),
  );
  const bytes = chosen.wanted.reduce((sum, slice) => sum + slice.bytes, 0);
  const standing = chosen.wanted.every(({ root }) => source.folder(root) !== undefined);
  const bytesThere = standing ? 0 : await bytesWaiting(lake, chosen.wanted);
  const bytesFree = await environment.freeBytes(await nearestFolder(lake));
  const bytesNeeded =
    chosen.wanted.length === 0
      ? 0
      : bytes -
        bytesThere +
        indexBytes(
          await lakeSlices(lake),
          chosen.wanted.map(({ counts }) => counts),
        ) +
        PULL_DEFAULTS.spareBytes;
  return { source: source.name, slices, bytes, bytesThere, bytesFree, bytesNeeded };
}

function installOptions({
  lake,
  embedder,
  threads,
  signal,
  onProgress,
}: Omit<PullOptions, "roots">): InstallOptions {
  return {
    lake,
    embedder,
    threads,
    signal,
    onProgress: (install) => onProgress?.({ phase: "install", install }),
  };
}
