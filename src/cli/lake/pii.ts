import { resolve } from "node:path";
import type { Command } from "commander";
import type { PiiReport } from "../../dataset/pii/pii-report.js";
import { type CliContext, printJson } from "../context.js";
import { formatPii } from "../format/format-pii.js";
import { createProgress } from "../format/progress.js";
import { examples, existingLakePath, jsonOption, lakeOption } from "../options.js";

interface PiiCommandOptions {
  readonly lake?: string;
  readonly json?: boolean;
}

/** Registers `pii`: reports likely personal data in the text of slices. */
export function registerPii(program: Command, context: CliContext): void {
  const command = program
    .command("pii")
    .description(
      "Report likely e-mail addresses, phone numbers and handles in the text of slices, with masked examples.",
    )
    .argument("[dirs...]", "slices, folders of slices, or lakes; by default the lake");
  lakeOption(jsonOption(command));
  examples(command, ["pii ./slices", "pii --lake ./lake --json"]);
  command.action(async (dirs: string[], options: PiiCommandOptions) => {
    const given =
      dirs.length > 0
        ? dirs.map((dir) => resolve(context.cwd, dir))
        : [await existingLakePath(options, context)];
    const report = await scanFolders(given, context);
    if (options.json) printJson(context, report);
    else context.out.write(formatPii(report, context.out.columns));
  });
}

/** Scans slices for personal data, with a progress bar. */
export async function scanFolders(dirs: readonly string[], context: CliContext): Promise<PiiReport> {
  const { piiReport } = await import("../../dataset/pii/report-pii.js");
  const progress = createProgress(context);
  try {
    return await piiReport(dirs, {
      signal: context.signal,
      onProgress: ({ done, total }) => progress.update("scanning", done, total, "items"),
    });
  } finally {
    progress.end();
  }
}
