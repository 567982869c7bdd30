import { resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { type Command, Option } from "commander";
import { UsageError } from "../../contract/errors.js";
import { counted, formatBytes, formatDuration } from "../../contract/quantity.js";
import {
  DATASET_LAYOUTS,
  type DatasetLayout,
  parseDatasetAddress,
} from "../../transfer/dataset/dataset-address.js";
import type { DatasetPlan, DatasetReport, ReplacedSlices } from "../../transfer/pull/dataset-report.js";
import type { PullDatasetOptions } from "../../transfer/pull/pull-dataset.js";
import { type CliContext, printJson } from "../context.js";
import { EXIT } from "../defaults.js";
import { conflictNote } from "../format/conflict-note.js";
import { formatTable } from "../format/format-table.js";
import { createProgress } from "../format/progress.js";
import { style } from "../format/terminal-style.js";
import { printReport as printIngest, showProgress } from "../lake/ingest-report.js";
import { failIfInterrupted, remadeFacts, settledNotes } from "../lake/settled-install.js";
import { lakePath } from "../options.js";
import { createPullProgress, sayKept, type TransferFlags, transferOptions } from "./pull-options.js";

/** Longest list of files that is printed; the rest is counted. */
const LIST_LINES = 20;

/** Flags of a pull that matter to datasets of plain files. */
export interface DatasetFlags extends TransferFlags {
  readonly lake?: string;
  readonly layout?: DatasetLayout;
  readonly adapter?: string;
  readonly capturedAt?: string;
  readonly domain?: string;
  readonly platform?: string;
  readonly lang?: string;
  readonly from?: string;
  readonly to?: string;
  readonly skipBadFiles?: boolean;
  readonly out?: string;
  readonly replace?: boolean;
  readonly keepOlder?: boolean;
  readonly threads?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Adds the flags of datasets. */
export function datasetFlags(command: Command): void {
  command
    .addOption(
      new Option("--layout <host>", "what the address of a dataset is of, where it does not say it").choices([
        ...DATASET_LAYOUTS,
      ]),
    )
    .option(
      "--adapter <name>",
      "for a dataset: an adapter, or a mapping file (default: its own mirrorlake-mapping.json)",
    )
    .option("--captured-at <instant>", "for a dataset: capture instant of all rows, for data without one")
    .option("--skip-bad-files", "for a dataset: keep what is good where a file cannot be read to its end")
    .option("--out <dir>", "for a dataset: new folder that gets a copy of the slices, and rejects.jsonl")
    .option("--replace", "for a dataset: replace the output of an earlier run in --out")
    .option(
      "--keep-older",
      "for a dataset: keep what the last pull of it brought, instead of putting this one in its place",
    );
}

/** Pulls a dataset of plain files, if the source is one. */
export async function pullsDataset(
  source: string,
  flags: DatasetFlags,
  context: CliContext,
): Promise<boolean> {
  if (parseDatasetAddress(source, flags.layout) === undefined) {
    refuseOptions(flags, OF_DATASETS, `is for a dataset, and ${source} is none`, {
      remedy:
        "leave it out for slices; for files on this machine use ingest; or say what the host is: --layout",
    });
    return false;
  }
  const { planDataset, pullDataset } = await import("../../transfer/pull/pull-dataset.js");
  const options = await optionsOf(flags, context);
  const plan = await planDataset(source, options);
  if (plan.hasSlices) return false;
  refuseOptions(flags, OF_SLICES, `chooses slices, and ${source} is a dataset of plain files`, {
    remedy: "leave it out: such a dataset is taken whole",
  });
  if (flags.dryRun) {
    if (flags.json) printJson(context, plan);
    else printPlan(plan, context);
    return true;
  }
  const started = performance.now();
  const line = createProgress(context);
  const progress = createPullProgress(context);
  let report: DatasetReport;
  try {
    report = await pullDataset(source, {
      ...options,
      onProgress: (at) => (at.phase === "ingest" ? showProgress(at.ingest, line) : progress.update(at)),
    });
  } catch (error) {
    progress.end();
    if (context.signal.aborted && !flags.json) await sayKept(options.lake, context);
    throw error;
  } finally {
    line.end();
    progress.end();
  }
  if (report.ingest.badFiles.length > 0) context.fail(EXIT.incomplete);
  if (report.install === undefined) context.fail();
  else failIfInterrupted(report.install, context);
  if (flags.json) printJson(context, report);
  else printReport(report, performance.now() - started, context);
  return true;
}

/** Options that are of datasets of plain files alone, and those that choose slices. */
const OF_DATASETS = ["adapter", "capturedAt", "skipBadFiles", "out", "replace", "keepOlder"] as const;
const OF_SLICES = ["domain", "platform", "from", "to"] as const;

/** @throws UsageError `invalid_source` for an option that would change nothing */
function refuseOptions(
  flags: DatasetFlags,
  names: readonly (keyof DatasetFlags)[],
  why: string,
  { remedy }: { readonly remedy: string },
): void {
  const given = names.find((name) => flags[name] !== undefined);
  if (given === undefined) return;
  const option = `--${given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new UsageError("invalid_source", `${option} ${why}`, { value: flags[given], remedy });
}

async function optionsOf(flags: DatasetFlags, context: CliContext): Promise<PullDatasetOptions> {
  const { adapter, out, replace, keepOlder, layout, capturedAt, lang, skipBadFiles, threads } = flags;
  const { cwd } = context;
  return {
    lake: lakePath(flags, context),
    layout,
    adapter: adapter?.endsWith(".json") ? resolve(cwd, adapter) : adapter,
    out: out === undefined ? undefined : resolve(cwd, out),
    replace,
    keepOlder,
    capturedAt,
    language: lang,
    skipBadFiles,
    threads,
    signal: context.signal,
    ...(await transferOptions(flags, context)),
  };
}

function printPlan({ files, revision }: DatasetPlan, context: CliContext): void {
  const { out } = context;
  const rows = files
    .slice(0, LIST_LINES)
    .map(({ path, bytes, wanted }) => [
      path,
      wanted ? "wanted" : "",
      bytes === undefined ? "?" : formatBytes(bytes),
    ]);
  const columns = [
    { header: "file", grow: true },
    { header: "state" },
    { header: "size", align: "right" },
  ] as const;
  out.write(formatTable(columns, rows, out.columns));
  if (files.length > LIST_LINES) out.write(`… and ${counted(files.length - LIST_LINES, "more file")}\n`);
  const wanted = files.filter((file) => file.wanted);
  const bytes = wanted.reduce((sum, file) => sum + (file.bytes ?? 0), 0);
  const at = ofCommit(revision);
  out.write(
    `${style(out, "bold", `${counted(wanted.length, "file")}${at} to fetch, ${formatBytes(bytes)}`)}\n`,
  );
}

function printReport(report: DatasetReport, ms: number, context: CliContext): void {
  const { out } = context;
  const { files, revision, bytesFetched, ingest, replaced, install } = report;
  const at = ofCommit(revision);
  const wanted = files.filter((file) => file.wanted).length;
  out.write(`${counted(wanted, "file")}${at}, ${formatBytes(bytesFetched)} over the network\n`);
  printIngest(ingest, context);
  if (install === undefined) return;
  const { total, generation, change } = install;
  if (replaced !== undefined) out.write(`${replacedNote(replaced)}\n`);
  if (install.conflicts !== undefined) out.write(`${conflictNote(install.conflicts)}\n`);
  if (change === "none") out.write("nothing new: the lake has all of it\n");
  for (const fact of remadeFacts(install)) out.write(`${fact}\n`);
  out.write(settledNotes(install));
  out.write(
    `generation ${generation}: ${counted(total.records, "record")} and ${counted(total.raw, "raw item")} from ${counted(total.slices, "slice")}, ${formatDuration(ms)}\n`,
  );
}

function ofCommit(revision: string | undefined): string {
  return revision === undefined ? "" : ` of commit ${revision.slice(0, 12)}`;
}

function replacedNote({ revision, slices, records, raw }: ReplacedSlices): string {
  const held = `${counted(records, "record")} and ${counted(raw, "raw item")}`;
  return `in the place of ${counted(slices.length, "slice")} of the last pull${ofCommit(revision)}, with ${held}`;
}
