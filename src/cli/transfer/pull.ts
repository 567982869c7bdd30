import { relative, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import type { Command } from "commander";
import { LOCK_FILE } from "../../contract/lake/lock-file.js";
import { counted, formatBytes, formatDuration } from "../../contract/quantity.js";
import type { PullPlan } from "../../transfer/pull/plan-pull.js";
import type { PullOptions } from "../../transfer/pull/pull-options.js";
import type { PullReport } from "../../transfer/pull/pull-slices.js";
import { type CliContext, printJson } from "../context.js";
import { conflictNote } from "../format/conflict-note.js";
import { style } from "../format/terminal-style.js";
import { rebuildHelp } from "../lake/rebuild-help.js";
import { failIfInterrupted, remadeFacts, settledNotes } from "../lake/settled-install.js";
import { examples, jsonOption, lakeOption, lakePath, wholeNumber } from "../options.js";
import { type DatasetFlags, datasetFlags, pullsDataset } from "./pull-dataset.js";
import {
  createPullProgress,
  formatPlanned,
  sayKept,
  type TransferFlags,
  transferFlags,
  transferOptions,
} from "./pull-options.js";

interface PullCommandOptions extends TransferFlags {
  readonly lake?: string;
  readonly domain?: string;
  readonly platform?: string;
  readonly lang?: string;
  readonly from?: string;
  readonly to?: string;
  /** Path of the lock file; false with `--no-lock`. */
  readonly lock: string | false;
  readonly threads?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

type Flags = PullCommandOptions & DatasetFlags;

const FILTERS = ["domain", "platform", "lang", "from", "to"] as const;

/** Registers `pull`: fetches slices from a published folder, a server or an archive into a lake. */
export function registerPull(program: Command, context: CliContext): void {
  const command = program
    .command("pull")
    .description(
      "Fetch slices, verified and resumable, or a dataset of plain files with a mapping, and install them into a lake.",
    )
    .argument("<source>", "address of a published folder, of a server or of a dataset, a folder, or a .zip")
    .option("--domain <name>", "only social, ecommerce or web")
    .option("--platform <slug>", "only this platform")
    .option("--lang <tag>", "only this language (BCP 47)")
    .option("--from <when>", "captured at or after: an ISO 8601 date or instant")
    .option("--to <when>", "captured at or before: an ISO 8601 date or instant")
    .option(
      "--threads <n>",
      "threads that build the lake's indexes (default: one a processor)",
      wholeNumber(1, 256),
    )
    .option("--lock <file>", "file that pins the slices of the lake after the pull", LOCK_FILE)
    .option("--no-lock", "write no lock file")
    .option("--dry-run", "print what would be fetched, its size and whether it fits; change nothing");
  datasetFlags(command);
  transferFlags(command);
  lakeOption(command);
  jsonOption(command);
  rebuildHelp(command);
  examples(command, [
    "pull https://data.example/public --lake ./lake --dry-run",
    "pull https://data.example/public --lake ./lake --domain social --lang zh --from 2026-05-01",
    "pull http://127.0.0.1:8080 --key ml_… --lake ./lake   # from `mirrorlake serve`",
    "pull ./public.zip --lake ./lake",
    "pull https://huggingface.co/datasets/owner/name --lake ./lake --adapter ./my-mapping.json",
    "pull https://portal.example/dataset/name --lake ./lake --adapter ./my-mapping.json",
  ]);
  command.action(async (source: string, options: Flags) => {
    if (await pullsDataset(source, options, context)) return;
    const pull = await import("../../transfer/pull/pull-slices.js");
    const { isAddress } = await import("../../transfer/pull/open-source.js");
    const from = isAddress(source) ? source : resolve(context.cwd, source);
    const given = await pullOptions(options, context);
    if (options.dryRun) {
      const { planPull } = await import("../../transfer/pull/plan-pull.js");
      const plan = await planPull(from, given);
      if (options.json) printJson(context, plan);
      else printPlan(plan, context);
      return;
    }
    const started = performance.now();
    const progress = createPullProgress(context);
    let report: PullReport;
    try {
      report = await pull.pullSlices(from, { ...given, onProgress: progress.update });
    } catch (error) {
      progress.end();
      if (context.signal.aborted && !options.json) await sayKept(given.lake, context);
      throw error;
    } finally {
      progress.end();
    }
    if (options.lock !== false) await pin(options.lock, from, report, given.lake, context);
    if (options.json) printJson(context, report);
    else printReport(report, performance.now() - started, given.lake, context);
    if (report.install !== undefined) failIfInterrupted(report.install, context);
  });
}

/** Writes the lock file: the slices of the lake, and the source of the slices of this pull. */
async function pin(
  lockFile: string,
  source: string,
  { slices }: PullReport,
  lake: string,
  context: CliContext,
): Promise<void> {
  const { writeLockFile } = await import("../../transfer/pull/lock-file-io.js");
  const sources = new Map(slices.map(({ root }) => [root, source]));
  await writeLockFile(resolve(context.cwd, lockFile), lake, sources);
}

async function pullOptions(options: PullCommandOptions, context: CliContext): Promise<PullOptions> {
  const filter = Object.fromEntries(
    FILTERS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
  return {
    lake: lakePath(options, context),
    filter,
    signal: context.signal,
    threads: options.threads,
    ...(await transferOptions(options, context)),
  };
}

function printPlan(plan: PullPlan, context: CliContext): void {
  const { out } = context;
  out.write(formatPlanned(plan.slices, out.columns));
  const wanted = plan.slices.filter(({ state }) => state === "wanted").length;
  const there = plan.bytesThere > 0 ? `, ${formatBytes(plan.bytesThere)} of it here already` : "";
  out.write(
    `${style(out, "bold", `${counted(wanted, "slice")} to fetch, ${formatBytes(plan.bytes)}${there}`)}\n`,
  );
  if (wanted === 0) return;
  const fits = plan.bytesFree >= plan.bytesNeeded ? "it fits" : "it does not fit";
  out.write(
    `about ${formatBytes(plan.bytesNeeded)} with the lake's indexes, ${formatBytes(plan.bytesFree)} free: ${fits}\n`,
  );
}

function printReport(report: PullReport, ms: number, lake: string, context: CliContext): void {
  const { out } = context;
  const { slices, bytesFetched, install } = report;
  const wanted = slices.filter(({ state }) => state === "wanted");
  const all = slices.length === 1 ? "the slice" : `all ${counted(slices.length, "slice")}`;
  const removed = slices.filter(({ state }) => state === "removed").length;
  const left = slices.length === removed ? "" : ", and the lake has the rest";
  const why =
    removed === 0 ? `the lake has ${all}` : `removals left nothing of ${counted(removed, "slice")}${left}`;
  const nothing = `nothing to pull: ${why}`;
  if (install === undefined) {
    out.write(`${nothing}\n`);
    return;
  }
  const states = new Map(install.slices.map(({ root, state }) => [root, state]));
  out.write(
    formatPlanned(
      wanted.map((slice) => ({ ...slice, state: states.get(slice.root) ?? slice.state })),
      out.columns,
    ),
  );
  const over = bytesFetched > 0 ? `, ${formatBytes(bytesFetched)} over the network` : "";
  const pulled = wanted.length === 0 ? nothing : `${counted(wanted.length, "slice")} pulled${over}`;
  out.write(`${style(out, "bold", [pulled, ...remadeFacts(install)].join(", "))}\n`);
  const { total, generation, conflicts } = install;
  if (conflicts !== undefined) out.write(`${conflictNote(conflicts)}\n`);
  out.write(settledNotes(install));
  out.write(
    `generation ${generation} of ${relative(context.cwd, lake) || lake}: ${counted(total.records, "record")} and ${counted(total.raw, "raw item")} from ${counted(total.slices, "slice")}, ${formatDuration(ms)}\n`,
  );
}
