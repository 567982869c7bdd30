import { z } from "zod";
import { diagnoseLake } from "../../client/diagnose-lake.js";
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
  pull: ({ source, key, recall: _, kind, ...filters }, { lake, jobs }) =>
    jobs.start(kind, `Pull from ${source}`, async (report, signal) => {
      const { pullSlices } = await import("../../transfer/pull/pull-slices.js");
      const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== "");
      const pulled = await pullSlices(source, {
        lake: lake.lake.path,
        filter: Object.fromEntries(given),
        key: key === "" ? undefined : key,
        signal,
        onProgress: (progress) => {
          if (progress.phase === "install") installStep(report)(progress.install);
          else report("fetching files", progress.done, progress.total, "bytes");
        },
      });
      await lake.refresh();
      const wanted = pulled.slices.filter(({ state }) => state === "wanted").length;
      return { slices: wanted, bytes: pulled.bytesFetched, total: pulled.install?.total };
    }),

  install: ({ source, kind }, { lake, jobs }) =>
    jobs.start(kind, `Install ${source}`, async (report, signal) => {
      const { installSlices } = await import("../../lake/install/install-slices.js");
      const installed = await installSlices([source], {
        lake: lake.lake.path,
        signal,
        onProgress: installStep(report),
      });
      await lake.refresh();
      const added = installed.slices.filter(({ state }) => state === "installed").length;
      return { slices: added, total: installed.total };
    }),

  verify: ({ recall, kind }, { lake, jobs }) =>
    jobs.start(kind, "Verify the lake", async (report, signal) => {
      const { verifyLake } = await import("../../lake/verify/verify-lake.js");
      return verifyLake(lake.lake.path, {
        recall,
        signal,
        onProgress: ({ phase, done, total }) => report(phase, done, total),
      });
    }),

  doctor: ({ kind }, { lake, jobs }) =>
    jobs.start(kind, "Diagnose the lake", async () => diagnoseLake(lake.lake.path)),

  parity: ({ kind }, { jobs }) =>
    jobs.start(kind, "Measure parity", (report, signal) => localParity(report, signal)),
};

function installStep(report: ReportProgress): (progress: InstallProgress) => void {
  return ({ phase, done, total, unit, rebuild }) =>
    report(rebuild === undefined ? `installing: ${phase}` : rebuildText(rebuild), done, total, unit);
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
