import { relative } from "node:path";
import type { Command } from "commander";
import { formatBytes } from "../../contract/quantity.js";
import { terminalLine } from "../../contract/terminal-text.js";
import { type CliContext, printJson } from "../context.js";
import { examples, jsonOption, lakeOption, lakePath } from "../options.js";

interface GcCommandOptions {
  readonly lake?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Registers `gc`: removes unused files. */
export function registerGc(program: Command, context: CliContext): void {
  const command = program
    .command("gc")
    .description("Remove unused files: unreferenced slices, old generations, leftovers of killed processes.")
    .option("--dry-run", "only list what would be removed");
  lakeOption(command);
  jsonOption(command);
  examples(command, ["gc --lake ./lake --dry-run", "gc --lake ./lake"]);
  command.action(async (options: GcCommandOptions) => {
    const { gcLake } = await import("../../lake/maintain/gc-lake.js");
    const lake = lakePath(options, context);
    const report = await gcLake({ lake, dryRun: options.dryRun ?? false });
    if (options.json) {
      printJson(context, report);
      return;
    }
    for (const { kind, path, bytes } of report.items)
      context.out.write(`${kind} ${terminalLine(relative(lake, path))} ${formatBytes(bytes)}\n`);
    if (report.restored !== undefined) {
      const names = report.dryRun ? "would name" : "names";
      context.out.write(`CURRENT was missing: it ${names} generation ${report.restored} again\n`);
    }
    const verb = report.dryRun ? "would be removed" : "removed";
    context.out.write(
      report.items.length === 0 ? "Nothing is unused.\n" : `${formatBytes(report.bytes)} ${verb}\n`,
    );
  });
}
