import type { Command } from "commander";
import { terminalLine } from "../../contract/terminal-text.js";
import { type CliContext, printJson } from "../context.js";
import { style } from "../format/terminal-style.js";
import {
  accountAddress,
  accountOption,
  clickHouseLake,
  examples,
  existingLakePath,
  jsonOption,
  lakeOption,
} from "../options.js";

interface DoctorOptions {
  readonly lake?: string;
  readonly account?: string;
  readonly json?: boolean;
}

const COLOURS = { error: "red", warning: "yellow", note: "dim" } as const;

/** Registers `doctor`: lists the problems of a lake, each with the command that repairs it. */
export function registerDoctor(program: Command, context: CliContext): void {
  const command = program
    .command("doctor")
    .description("Find the problems of a lake in seconds, and name the command that repairs each.");
  lakeOption(command);
  accountOption(command);
  jsonOption(command);
  examples(command, [
    "doctor --lake ./lake",
    "doctor --lake ./lake --json",
    "doctor --lake clickhouse://me@db.example:8123/lake --account postgres://me@db.example/lake",
  ]);
  command.action(async (options: DoctorOptions) => {
    const { diagnoseLake } = await import("../../client/diagnose-lake.js");
    const lake = clickHouseLake(options, context) ?? (await existingLakePath(options, context));
    const { signal } = context;
    const report = await diagnoseLake(lake, { account: accountAddress(options, context), signal });
    if (!report.ok) context.fail();
    if (options.json) {
      printJson(context, report);
      return;
    }
    const { out } = context;
    for (const { level, code, message, remedy } of report.findings)
      out.write(
        `${style(out, COLOURS[level], `${level} ${code}`)}: ${terminalLine(message)}\n  → ${terminalLine(remedy)}\n`,
      );
    if (report.findings.length === 0) out.write(`${style(out, "green", "No problem found.")}\n`);
  });
}
