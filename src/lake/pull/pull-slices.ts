import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { PullError, UsageError } from "../../contract/errors.js";
import { DayOrInstant, endMs, isOrdered, startMs } from "../../contract/params.js";
import { Domain, PlatformSlug } from "../../contract/platforms.js";
import { LanguageTag } from "../../contract/records.js";
import type { SliceIndexEntry } from "../../contract/slice-index.js";
import { PULL_DEFAULTS } from "../../corpus/pull/defaults.js";
import { systemEnvironment } from "../../corpus/pull/environment.js";
import { fetchSlices } from "../../corpus/pull/fetch-slices.js";
import { type SelectedSlices, selectSlices } from "../../corpus/pull/select-slices.js";
import type { SliceSource } from "../../corpus/pull/slice-source.js";
import type { TransferProgress } from "../../corpus/pull/transfer-meter.js";
import type { SliceFilter } from "../../corpus/slice/slice-filter.js";
import { takePullLock } from "../install-lock.js";
import {
  type InstallOptions,
  type InstallProgress,
  type InstallReport,
  installSlices,
} from "../install-slices.js";
import { lakePaths } from "../lake-paths.js";
import { lakeSlices } from "../lake-slices.js";
import { openOrCreate } from "../settings.js";
import { bytesWaiting, removeIncoming, removeOldIncoming } from "./incoming.js";
import { openSource, type TransferOptions } from "./open-source.js";

/** Which slices of a source are pulled; what is absent does not restrict. */
export interface PullFilter {
  readonly domain?: string;
  readonly platform?: string;
  /** BCP 47 range: `zh` means `zh-Hant` too. */
  readonly lang?: string;
  /** Window of capture, both ends inclusive: ISO 8601 days (UTC) or instants. */
  readonly from?: string;
  readonly to?: string;
}

/** How far a pull has come: files on their way, then the install. */
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
  readonly onProgress?: (progress: PullProgress) => void;
}

/** A slice as a source's index describes it, with what a pull does with it. */
export interface PlannedSlice extends Pick<SliceIndexEntry, "root" | "name" | "bytes" | "filter" | "counts"> {
  /** `wanted`: to be fetched; `present` in the lake; `superseded` by another that is wanted or present. */
  readonly state: "wanted" | "present" | "superseded";
}

/** What a pull would do. */
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

/** What a pull did. */
export interface PullReport extends Pick<PullPlan, "source" | "slices" | "bytes"> {
  /** Bytes of files that came over the network. */
  readonly bytesFetched: number;
  /** Absent where nothing was wanted. */
  readonly install?: InstallReport;
}

/**
 * What {@link pullSlices} would do: it reads the source's index and changes nothing.
 * @throws PullError, UsageError as {@link pullSlices} does
 */
export async function planPull(source: string, options: PullOptions): Promise<PullPlan> {
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
  const { environment = systemEnvironment, lake } = options;
  const stop = new AbortController();
  const forward = () => stop.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", forward, { once: true });
  if (options.signal?.aborted) forward();
  try {
    const opened = await openSource(source, options, stop.signal);
    const chosen = await select(opened, options);
    const plan = await planOf(opened, chosen, options);
    const { slices, bytes } = plan;
    if (chosen.wanted.length === 0) return { source, slices, bytes, bytesFetched: 0 };
    refuseTooLarge(plan, lake);
    await openOrCreate(lake);
    const lock = await takePullLock(lake);
    try {
      const roots = chosen.wanted.map(({ root }) => root);
      const { dirs, bytesFetched } = await bring(opened, roots, options, stop);
      const install = await installSlices(dirs, installOptions(options));
      await removeIncoming(lake, roots);
      await removeOldIncoming(lake, environment.now());
      return { source, slices, bytes, bytesFetched, install };
    } finally {
      await lock.release();
    }
  } finally {
    options.signal?.removeEventListener("abort", forward);
  }
}

/** Folders of the slices: where they stand, or where they were fetched to. */
async function bring(
  source: SliceSource,
  roots: readonly string[],
  options: PullOptions,
  stop: AbortController,
): Promise<{ dirs: readonly string[]; bytesFetched: number }> {
  const {
    environment = systemEnvironment,
    lake,
    concurrency = PULL_DEFAULTS.concurrency,
    onProgress,
  } = options;
  const standing = roots.map((root) => source.folder(root));
  if (standing.every((dir) => dir !== undefined)) return { dirs: standing, bytesFetched: 0 };
  const { incoming } = lakePaths(lake);
  await mkdir(incoming, { recursive: true });
  return fetchSlices(source, roots, {
    incoming,
    concurrency,
    now: environment.now,
    abort: (reason) => stop.abort(reason),
    beforeFiles: async (toCome, total) => {
      const bytesFree = await environment.freeBytes(incoming);
      refuseTooLarge({ source: source.name, bytesFree, bytesNeeded: needed(toCome, total) }, lake);
    },
    onProgress: (progress) => onProgress?.({ phase: "download", ...progress }),
  });
}

async function select(source: SliceSource, options: PullOptions): Promise<SelectedSlices> {
  const filter = toFilter(options.filter ?? {});
  const listed = await source.list();
  const held = await lakeSlices(options.lake);
  const chosen = selectSlices(listed, {
    filter,
    ...(options.roots === undefined ? {} : { roots: new Set(options.roots) }),
    present: new Set(held.map(({ mirrorlake }) => mirrorlake.root)),
    superseded: new Set(held.flatMap(({ mirrorlake }) => mirrorlake.supersedes)),
  });
  if (chosen.wanted.length + chosen.present.length + chosen.superseded.length > 0) return chosen;
  throw new PullError(
    "nothing_selected",
    `None of the ${listed.length} slices of ${source.name} is selected`,
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
  const bytesNeeded = chosen.wanted.length === 0 ? 0 : needed(bytes - bytesThere, bytes);
  return { source: source.name, slices, bytes, bytesThere, bytesFree, bytesNeeded };
}

function needed(toCome: number, total: number): number {
  return toCome + total * PULL_DEFAULTS.buildFactor + PULL_DEFAULTS.spareBytes;
}

function refuseTooLarge(
  { source, bytesFree, bytesNeeded }: Pick<PullPlan, "source" | "bytesFree" | "bytesNeeded">,
  lake: string,
): void {
  if (bytesFree >= bytesNeeded) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  throw new PullError(
    "no_space",
    `To pull from ${source} takes about ${megabytes(bytesNeeded)}, and ${megabytes(bytesFree)} are free at ${lake}`,
    { value: bytesNeeded, remedy: "free some space, narrow the filter, or put the lake on another disk" },
  );
}

/** The folder itself, or the nearest above it that exists. */
async function nearestFolder(path: string): Promise<string> {
  for (let dir = resolve(path); ; dir = dirname(dir)) {
    try {
      if ((await stat(dir)).isDirectory()) return dir;
    } catch (error) {
      if (!["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
    if (dir === dirname(dir)) return dir;
  }
}

const CHECKS = {
  domain: Domain,
  platform: PlatformSlug,
  lang: LanguageTag,
  from: DayOrInstant,
  to: DayOrInstant,
};

function toFilter(filter: PullFilter): SliceFilter {
  for (const [name, schema] of Object.entries(CHECKS)) {
    const value = filter[name as keyof PullFilter];
    const parsed = value === undefined ? undefined : schema.safeParse(value);
    if (parsed?.success === false) throw badFilter(name, value, parsed.error.issues[0]!.message);
  }
  if (!isOrdered(filter)) throw badFilter("to", filter.to, "must not be before from");
  const { domain, platform, lang, from, to } = filter;
  return {
    ...(domain === undefined ? {} : { domain }),
    ...(platform === undefined ? {} : { platform }),
    ...(lang === undefined ? {} : { lang }),
    ...(from === undefined ? {} : { fromMs: startMs(from) }),
    ...(to === undefined ? {} : { toMs: endMs(to) }),
  };
}

function badFilter(name: string, value: unknown, reason: string): UsageError {
  return new UsageError("invalid_filter", `${name}: ${reason}`, { value, remedy: `correct ${name}` });
}

function installOptions({ lake, embedder, threads, signal, onProgress }: PullOptions): InstallOptions {
  return {
    lake,
    ...(embedder === undefined ? {} : { embedder }),
    ...(threads === undefined ? {} : { threads }),
    ...(signal === undefined ? {} : { signal }),
    onProgress: (install) => onProgress?.({ phase: "install", install }),
  };
}
