import type { Command } from "commander";
import { counted, formatCount } from "../../contract/quantity.js";
import { terminalLine } from "../../contract/terminal-text.js";
import type { VerifyProgress } from "../../lake/verify/verify-lake.js";
import { type CliContext, printJson } from "../context.js";
import { createProgress } from "../format/progress.js";
import { style } from "../format/terminal-style.js";
import {
  clickHouseLake,
  examples,
  existingLakePath,
  jsonOption,
  lakeOption,
  wholeNumber,
} from "../options.js";

const PHASES: Readonly<Record<VerifyProgress["phase"], string>> = {
  files: "reading files",
  slices: "reading slices",
  provenance: "hashing records",
  removals: "checking removals",
  generation: "comparing the generation",
  recall: "measuring recall",
  together: "measuring recall of all sets together",
  corpus: "hashing what the lake shows",
};

interface VerifyCommandOptions {
  readonly lake?: string;
  readonly recall: boolean;
  readonly threads?: number;
  readonly json?: boolean;
}

/** Registers `verify`: checks a lake from end to end. */
export function registerVerify(program: Command, context: CliContext): void {
  const command = program
    .command("verify")
    .description(
      "Check a lake from end to end: files, record hashes, removals, index against records, recall.",
    )
    .option("--no-recall", "read the recall certificate without measuring recall again")
    .option("--threads <n>", "threads that measure recall (default: one per processor)", wholeNumber(0, 256));
  lakeOption(command);
  jsonOption(command);
  examples(command, [
    "verify --lake ./lake",
    "verify --lake ./lake --no-recall --json",
    "verify --lake clickhouse://me@db.example:8123/lake",
  ]);
  command.action(async (options: VerifyCommandOptions) => {
    const cluster = clickHouseLake(options, context);
    if (cluster !== undefined) {
      const { verifyClusterLake } = await import("./verify-cluster.js");
      await verifyClusterLake(cluster, options, context);
      return;
    }
    const { verifyLake } = await import("../../lake/verify/verify-lake.js");
    const progress = createProgress(context);
    const report = await verifyLake(await existingLakePath(options, context), {
      recall: options.recall,
      threads: options.threads,
      signal: context.signal,
      onProgress: ({ phase, done, total, unit }) => progress.update(PHASES[phase], done, total, unit),
    }).finally(() => progress.end());
    if (!report.ok) context.fail();
    if (options.json) {
      printJson(context, report);
      return;
    }
    const { out } = context;
    const { provenance } = report;
    out.write(
      `generation ${report.generation}: ${counted(report.slices, "slice")} with ${counted(report.records, "record")} and ${counted(report.raw, "raw item")}\n`,
    );
    const { shown } = report;
    if (shown !== undefined && (shown.records !== report.records || shown.raw !== report.raw))
      out.write(
        `shown: ${counted(shown.records, "record")} and ${counted(shown.raw, "raw item")}; the others were replaced or removed\n`,
      );
    out.write(
      `record hashes: ${formatCount(provenance.canonical)} of canonical JSON, ${formatCount(provenance.otherwise)} by another method\n`,
    );
    if (report.removals > 0) out.write(`removals: ${formatCount(report.removals)}\n`);
    if (report.recall10 !== undefined) out.write(`certified recall@10: ${report.recall10.toFixed(4)}\n`);
    if (report.together !== undefined) {
      const { queries, recall10, recall100 } = report.together;
      out.write(
        `searched together: ${recall10.toFixed(4)} of the ten nearest, ${recall100.toFixed(4)} of the hundred, of ${counted(queries, "question")}\n`,
      );
    }
    if (report.corpus !== undefined) out.write(`corpus: ${report.corpus}\n`);
    if (report.files === "absent") out.write("files: not compared with checksums, whose file is missing\n");
    for (const { code, message, remedy } of report.problems)
      out.write(`${style(out, "red", terminalLine(`${code}: ${message}`))}\n  ${terminalLine(remedy)}\n`);
    out.write(
      report.ok
        ? `${style(out, "green", "No problem found.")}\n`
        : `${style(out, "red", `${counted(report.problems.length, "problem")}.`)}\n`,
    );
  });
}
