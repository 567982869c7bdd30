import { z } from "zod";
import { diagnoseLake } from "../../client/diagnose-lake.js";
import type { LakeClient } from "../../client/open-lake.js";
import type { InstallReport } from "../../lake/install/install-report.js";
import type { InstallProgress } from "../../lake/install/publish-generation.js";
import { rebuildText } from "../../lake/install/rebuild.js";
import type { JobAnswer } from "../answers.js";
import { ConsoleError } from "../console-error.js";
import type { ReportProgress } from "../jobs.js";
import { localParity } from "../local-parity.js";
import { type ConsoleContext, route } from "../route.js";
import { numberParam } from "../shared-params.js";

const text = z.string().trim().max(2_000);
const filter = text.optional();

/** What can be started: each kind with its parameters. */
const StartJob = z.strictObject({
  kind: z.enum(["pull", "install", "verify", "doctor", "parity"]),
  /** Address or folder of a pull, folder of an install. */
  source: text.default(""),
  /** API key of a server that is pulled from. */
  key: text.optional(),
  domain: filter,
  platform: filter,
  lang: filter,
  from: filter,
  to: filter,
  /** Whether a verification measures recall again. */
  recall: z.boolean().default(false),
});
type StartJob = z.output<typeof StartJob>;

/** Starts a job. */
export const startJobRoute = route({
  method: "POST",
  path: "jobs/start",
  params: StartJob,
  answer: async (asked, context): Promise<JobAnswer> => {
    if (!context.writable && (asked.kind === "pull" || asked.kind === "install"))
      throw new ConsoleError(
        403,
        "console_read_only",
        "The lake was opened read-only",
        "Start serve without --read-only.",
      );
    if ((asked.kind === "pull" || asked.kind === "install") && asked.source === "")
      throw new ConsoleError(400, "invalid_params", "source: required");
    return JOBS[asked.kind](asked, context);
  },
});

const JOBS: Readonly<Record<StartJob["kind"], (asked: StartJob, context: ConsoleContext) => JobAnswer>> = {
  pull: ({ source, key, recall: _, kind, ...filters }, { lake, embedder, jobs }) =>
    jobs.start(kind, `Pull from ${source}`, async (report, signal) => {
      const { pullSlices } = await import("../../transfer/pull/pull-slices.js");
      const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== "");
      const pulled = await shownAtOnce(lake, report, (onProgress) =>
        pullSlices(source, {
          lake: lake.lake.path,
          filter: Object.fromEntries(given),
          embedder,
          key: key === "" ? undefined : key,
          signal,
          onProgress: (progress) => {
            if (progress.phase === "install") onProgress(progress.install);
            else report("fetching files", progress.done, progress.total, "bytes");
          },
        }),
      );
      const wanted = pulled.slices.filter(({ state }) => state === "wanted").length;
      return { slices: wanted, bytes: pulled.bytesFetched, ...settledFacts(pulled.install) };
    }),

  install: ({ source, kind }, { lake, embedder, jobs }) =>
    jobs.start(kind, `Install ${source}`, async (report, signal) => {
      const { installSlices } = await import("../../lake/install/install-slices.js");
      const installed = await shownAtOnce(lake, report, (onProgress) =>
        installSlices([source], { lake: lake.lake.path, embedder, signal, onProgress }),
      );
      const added = installed.slices.filter(({ state }) => state === "installed").length;
      return { slices: added, ...settledFacts(installed) };
    }),

  verify: ({ recall, kind }, { lake, jobs }) =>
    jobs.start(kind, "Verify the lake", async (report, signal) => {
      const { verifyLake } = await import("../../lake/verify/verify-lake.js");
      return verifyLake(lake.lake.path, {
        recall,
        signal,
        onProgress: ({ phase, done, total, unit }) => report(phase, done, total, unit),
      });
    }),

  doctor: ({ kind }, { lake, jobs }) =>
    jobs.start(kind, "Diagnose the lake", async () => diagnoseLake(lake.lake.path)),

  parity: ({ kind }, { jobs }) =>
    jobs.start(kind, "Measure parity", (report, signal) => localParity(report, signal)),
};

/** Runs an install, and lets the console show what it brings once that is published, though a refit of the embedder may follow. */
async function shownAtOnce<T>(
  lake: LakeClient,
  report: ReportProgress,
  install: (onProgress: (progress: InstallProgress) => void) => Promise<T>,
): Promise<T> {
  let shown: Promise<void> | undefined;
  const result = await install(({ phase, done, total, unit, rebuild }) => {
    report(rebuild === undefined ? `installing: ${phase}` : rebuildText(rebuild), done, total, unit);
    if (phase !== "publish" || done < total || shown !== undefined) return;
    shown = lake.refresh();
    // It is awaited below, which is too late for the process.
    shown.catch(() => undefined);
  });
  await shown;
  await lake.refresh();
  return result;
}

/** What a lake holds after an install, and what became of its refit and its merge. */
function settledFacts(install: InstallReport | undefined) {
  return { total: install?.total, refit: install?.refit, merge: install?.merge };
}

/** Jobs, newest first. */
export const jobsRoute = route({
  method: "GET",
  path: "jobs",
  params: z.strictObject({}),
  answer: async (_params, { jobs }): Promise<readonly JobAnswer[]> => jobs.list(),
});

/** How far a job is. */
export const jobRoute = route({
  method: "GET",
  path: "job",
  params: z.strictObject({ id: numberParam(1, Number.MAX_SAFE_INTEGER) }),
  answer: async ({ id }, { jobs }): Promise<JobAnswer> => {
    const job = jobs.get(id);
    if (job === undefined) throw new ConsoleError(404, "not_found", "There is no such job");
    return job;
  },
});

/** Stops a job; it ends soon after. */
export const stopJobRoute = route({
  method: "POST",
  path: "jobs/stop",
  params: z.strictObject({ id: z.number().int() }),
  answer: async ({ id }, { jobs }): Promise<null> => {
    jobs.stop(id);
    return null;
  },
});
