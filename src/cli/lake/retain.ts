import type { Command } from "commander";
import type { RetainOptions } from "../../lake/maintain/retain-lake.js";
import { type CliContext, printJson } from "../context.js";
import { showInstall } from "../format/install-phases.js";
import { createProgress } from "../format/progress.js";
import { asOfOption, examples, jsonOption, lakeOption, lakePath } from "../options.js";
import { type EmbedderOptions, embedderOf, embedderOption } from "./embedder-option.js";

interface RetainCommandOptions extends EmbedderOptions {
  readonly lake?: string;
  readonly olderThan: string;
  readonly asOf?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Registers `retain`: retention by age. */
export function registerRetain(program: Command, context: CliContext): void {
  const command = program
    .command("retain")
    .description("Remove data older than an age: whole slices, and the older items of the other slices.")
    .requiredOption("--older-than <age>", "hours or days, such as 36h or 90d")
    .option("--dry-run", "only list what would be removed");
  asOfOption(command);
  embedderOption(lakeOption(command));
  jsonOption(command);
  examples(command, [
    "retain --older-than 90d --lake ./lake --dry-run",
    "retain --older-than 365d --as-of system --lake ./lake --json",
  ]);
  command.action(async (options: RetainCommandOptions) => {
    const { retainLake } = await import("../../lake/maintain/retain-lake.js");
    const embedder = await embedderOf(options, context);
    const progress = createProgress(context);
    const report = await retainLake({
      lake: lakePath(options, context),
      olderThan: options.olderThan,
      asOf: await asOfOf(options.asOf ?? "corpus"),
      dryRun: options.dryRun ?? false,
      embedder,
      signal: context.signal,
      onProgress: showInstall(progress),
    }).finally(() => progress.end());
    if (options.json) {
      printJson(context, report);
      return;
    }
    const { out } = context;
    const { retainedLines } = await import("./retained-lines.js");
    out.write(`captured before ${report.cutoff}:\n`);
    for (const line of retainedLines(report)) out.write(`  ${line}\n`);
    out.write(`corpus: ${report.corpus}\n`);
  });
}

async function asOfOf(text: string): Promise<NonNullable<RetainOptions["asOf"]>> {
  if (text === "corpus" || text === "system") return text;
  const { UsageError } = await import("../../contract/errors.js");
  const { Timestamp } = await import("../../contract/service/unified-record.js");
  if (Timestamp.safeParse(text).success) return Date.parse(text);
  throw new UsageError("invalid_as_of", `Not an instant: ${text}`, {
    value: text,
    remedy: "give corpus, system, or an ISO 8601 instant with an offset",
  });
}
