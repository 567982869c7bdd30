import { resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { type Command, Option } from "commander";
import { UsageError } from "../../contract/errors.js";
import { counted, formatCount, formatDuration } from "../../contract/quantity.js";
import type { InstallReport } from "../../lake/install/install-report.js";
import type { GraphReport } from "../../search/graph-report.js";
import { INDEX_METHODS, type IndexMethod } from "../../search/vector/index-method.js";
import { type CliContext, printJson } from "../context.js";
import { conflictNote } from "../format/conflict-note.js";
import { showInstall } from "../format/install-phases.js";
import { createProgress } from "../format/progress.js";
import { saltNote } from "../format/salt-note.js";
import { formatSlices } from "../format/slice-table.js";
import { strayNote } from "../format/stray-note.js";
import { style } from "../format/terminal-style.js";
import { clickHouseLake, examples, jsonOption, lakeOption, lakePath, wholeNumber } from "../options.js";
import { type EmbedderOptions, embedderOf, embedderOption } from "./embedder-option.js";
import { rebuildHelp } from "./rebuild-help.js";
import { failIfInterrupted, remadeFacts, settledNotes } from "./settled-install.js";

/** Options of the command. */
export interface InstallCommandOptions extends EmbedderOptions {
  readonly lake?: string;
  readonly threads?: number;
  readonly rebuild?: boolean;
  readonly copy?: boolean;
  readonly index?: IndexMethod;
  readonly graphFrom?: number;
  readonly json?: boolean;
}

/** Registers `install`: adds slices to a lake, all of them or none. */
export function registerInstall(program: Command, context: CliContext): void {
  const command = program
    .command("install")
    .description(
      "Verify slices and install them into a lake; readers keep the old generation until the new one is published.",
    )
    .argument("[dir...]", "slices, or folders of slices such as `ingest --out` writes; none with --rebuild")
    .option("--threads <n>", "build threads (default: one per processor)", wholeNumber(1, 256))
    .option(
      "--rebuild",
      "rebuild the whole index from the lake's slices, even where adding a segment would suffice",
    )
    .option("--copy", "copy the slices' files, which otherwise are hard links to those of the folder")
    .addOption(
      new Option(
        "--index <method>",
        "how vectors are searched: by HNSW graphs, by a scan of codes, or by graphs of large segments alone (default: auto)",
      ).choices(INDEX_METHODS),
    )
    .option(
      "--graph-from <n>",
      "smallest segment, in records, that gets an HNSW graph (default: 4096 with --index hnsw)",
      wholeNumber(2, 524_288),
    );
  embedderOption(lakeOption(command));
  jsonOption(command);
  rebuildHelp(command);
  examples(command, [
    "install ./slices --lake ./lake",
    "install ./news ./products --lake ./lake --threads 2 --json",
    "install --rebuild --lake ./lake                     # of the slices that the lake has",
    "install ./slices --lake ./lake --rebuild --index hnsw",
    "install ./slices --lake clickhouse://me@db.example:8123/lake   # docs/cluster.md",
  ]);
  command.action(async (dirs: string[], options: InstallCommandOptions) => {
    const started = performance.now();
    if (dirs.length === 0 && options.rebuild !== true)
      throw new UsageError("missing_argument", "install needs slices, or folders of slices", {
        value: dirs,
        remedy: "name them; or give --rebuild to rebuild the lake from the slices that it has",
      });
    const cluster = clickHouseLake(options, context);
    if (cluster !== undefined) {
      const { installCluster } = await import("./install-cluster.js");
      await installCluster(dirs, cluster, options, context);
      return;
    }
    const report = await runInstall(dirs, options, context);
    if (options.json) printJson(context, report);
    else printReport(report, performance.now() - started, context);
    failIfInterrupted(report, context);
  });
}

async function runInstall(
  dirs: readonly string[],
  options: InstallCommandOptions,
  context: CliContext,
): Promise<InstallReport> {
  const { threads, index, graphFrom, rebuild = false, copy = false } = options;
  const { installSlices } = await import("../../lake/install/install-slices.js");
  const embedder = await embedderOf(options, context);
  const progress = createProgress(context);
  try {
    return await installSlices(
      dirs.map((dir) => resolve(context.cwd, dir)),
      {
        lake: lakePath(options, context),
        rebuild,
        copy,
        threads,
        index,
        graphFrom,
        embedder,
        signal: context.signal,
        onProgress: showInstall(progress),
      },
    );
  } finally {
    progress.end();
  }
}

function printReport(report: InstallReport, ms: number, { out }: CliContext): void {
  out.write(formatSlices(report.slices, out.columns));
  const { records, raw, before, total } = report;
  const replaced = records.replaced + raw.replaced;
  // An edition that replaces another is no new item, and a rebuild loads the old ones again.
  const gained = (kind: "records" | "raw") => Math.max(0, total[kind] - before[kind]);
  const added = `${counted(gained("records"), "record")} and ${counted(gained("raw"), "raw item")} added`;
  // What a revision withdraws, or a rebuild leaves out since it was removed, is in the totals alone.
  const lost = (kind: "records" | "raw") => Math.max(0, before[kind] - total[kind]);
  const repaired = report.slices.filter(({ state }) => state === "repaired").length;
  const outdated = records.outdated + raw.outdated;
  const facts = [
    report.change === "none" && repaired === 0 ? "nothing to install" : added,
    ...(repaired > 0 ? [`${counted(repaired, "slice")} repaired`] : []),
    ...(replaced > 0 ? [`${counted(replaced, "older edition")} replaced`] : []),
    ...(lost("records") + lost("raw") > 0
      ? [`${counted(lost("records"), "record")} and ${counted(lost("raw"), "raw item")} fewer than before`]
      : []),
    ...remadeFacts(report),
    ...(outdated > 0 ? [`${counted(outdated, "outdated item")} left out`] : []),
  ];
  out.write(`${style(out, "bold", facts.join(", "))}\n`);
  if (report.stray !== undefined) out.write(`${strayNote(report.stray)}\n`);
  if (report.conflicts !== undefined) out.write(`${conflictNote(report.conflicts)}\n`);
  if (report.authorSalt !== undefined) out.write(saltNote(report.authorSalt));
  if (report.graphs !== undefined) out.write(graphNote(report.graphs));
  out.write(settledNotes(report));
  out.write(
    `generation ${report.generation}: ${counted(total.records, "record")} and ${counted(total.raw, "raw item")} from ${counted(total.slices, "slice")}, ${formatDuration(ms)}\n`,
  );
}

/** A line of how many vector sets have graphs, and why others have none. */
function graphNote({ index, sets, graphs, small, from = 0 }: GraphReport): string {
  const trial = index === "auto" ? sets - graphs - small : 0;
  const reasons = [
    small > 0 ? [`${small} ${small === 1 ? "has" : "have"} fewer than ${formatCount(from)} records`] : [],
    trial > 0 ? [`a scan serves ${trial} better`] : [],
  ].flat();
  const why = reasons.length === 0 ? "" : `: ${reasons.join(", ")}`;
  return `HNSW graphs: ${graphs} of ${counted(sets, "vector set")}${why}\n`;
}
