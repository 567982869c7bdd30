import { isAbsolute, resolve, sep } from "node:path";
import { checkArgument, checkOptions } from "../../contract/check-options.js";
import { TextOption } from "../../contract/option-schemas.js";
import { makeFolder } from "../../files/make-folder.js";
import { writingTo } from "../../files/writing-to.js";
import { takePullLock } from "../../lake/install/install-lock.js";
import type { InstallOptions } from "../../lake/install/install-options.js";
import type { InstallReport } from "../../lake/install/install-report.js";
import { installSlices } from "../../lake/install/install-slices.js";
import { lakePaths } from "../../lake/lake-paths.js";
import { settleLake } from "../../lake/maintain/settle-lake.js";
import { openOrCreate } from "../../lake/settings.js";
import { systemEnvironment } from "../source/environment.js";
import type { SliceSource } from "../source/slice-source.js";
import { FETCHED_IS_KEPT, PULL_DEFAULTS } from "./defaults.js";
import { fetchSlices } from "./fetch-slices.js";
import { removeIncoming, removeOldIncoming, tidyAfterNothing } from "./incoming.js";
import { isAddress, openSource } from "./open-source.js";
import { type PullPlan, planOf, selectFrom } from "./plan-pull.js";
import { PULL_OPTIONS, type PullOptions } from "./pull-options.js";
import { refuseTooLarge } from "./space.js";

/** Result of a pull. */
export interface PullReport extends Pick<PullPlan, "source" | "slices" | "bytes"> {
  /** Bytes of files that came over the network. */
  readonly bytesFetched: number;
  /** Absent where nothing was wanted, and no install before left a refit or a merge to do. */
  readonly install?: InstallReport;
}

/**
 * Pulls slices into a lake: chooses from what the source has, fetches what the lake does not hold (in parallel, resuming
 * what was interrupted, every file checked against its SHA-256 as it comes in), and installs it. The source is a published
 * folder or a Mirrorlake server by its http(s) address, a folder, or a .zip. It is not trusted: a slice's root proves its
 * manifest, and that proves every file. What has come when a pull ends, however it ends, is kept in the lake's `incoming`
 * folder and used by the next. A pull that brings nothing does the refit and the merge that installs before it left to do.
 * @throws PullError `source_not_found`, `source_unreachable`, `offline`, `no_space`, `nothing_selected`, `file_corrupt`, …;
 * UsageError for a filter that is not valid; what {@link installSlices} throws; the signal's reason
 */
export async function pullSlices(source: string, options: PullOptions): Promise<PullReport> {
  checkArgument(TextOption, source, "source", "pullSlices");
  checkOptions(PULL_OPTIONS, options, "pullSlices");
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
  given: Omit<PullOptions, "roots">,
): Promise<{ readonly reports: readonly PullReport[]; readonly install?: InstallReport }> {
  const { signal } = given;
  const lake = resolve(given.lake);
  const options = { ...given, lake };
  const places = jobs.map((job) => (isAddress(job.source) ? job : { ...job, source: placeOf(job.source) }));
  const stop = new AbortController();
  const forward = () => stop.abort(signal?.reason);
  signal?.addEventListener("abort", forward, { once: true });
  if (signal?.aborted) forward();
  try {
    const opened: Opened[] = [];
    for (const job of places) opened.push(await openJob(job, options, stop.signal));
    const wanted = opened.flatMap(({ wanted }) => wanted);
    if (wanted.length === 0) {
      const install = await settlePulled(options);
      return { reports: opened.map(({ plan }) => reportOf(plan, 0, install)), install };
    }
    const bytes = opened.reduce((sum, { plan }) => sum + plan.bytesNeeded, 0);
    return await writingTo(
      lake,
      () => fetchAndInstall(opened, wanted, options, stop),
      async () => bytes,
      opened.some(fetches) ? FETCHED_IS_KEPT : undefined,
    );
  } finally {
    signal?.removeEventListener("abort", forward);
  }
}

/** Tidies up after a pull that brings nothing, and does what installs before left to do in the lake. */
export async function settlePulled(options: Omit<PullOptions, "roots">): Promise<InstallReport | undefined> {
  const { lake, environment = systemEnvironment } = options;
  await tidyAfterNothing(lake, environment.now());
  return settleLake(installOptions(options));
}

/** A path stays as it is written, for it is shown, but is of the folder that the process works in now. */
function placeOf(path: string): string {
  return isAbsolute(path) ? path : `${process.cwd()}${sep}${path}`;
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

/** Whether files are fetched of a source, or written from its archive: those of a folder are placed from where they are. */
function fetches({ source, wanted }: Opened): boolean {
  return wanted.some((root) => source.folder(root) === undefined);
}

async function openJob(
  { source, roots, exactly = false }: PullJob,
  options: Omit<PullOptions, "roots">,
  signal: AbortSignal,
): Promise<Opened> {
  const opened = await openSource(source, options, signal);
  const given = roots === undefined ? options : { ...options, roots };
  const chosen = await selectFrom(opened, given, exactly);
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

function installOptions({
  lake,
  embedder,
  threads,
  signal,
  onProgress,
}: Omit<PullOptions, "roots">): InstallOptions {
  return {
    lake,
    // The source is a folder of others.
    copy: true,
    embedder,
    threads,
    signal,
    onProgress: (install) => onProgress?.({ phase: "install", install }),
  };
}
