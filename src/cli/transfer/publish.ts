import { resolve } from "node:path";
import type { Command } from "commander";
import { counted, formatBytes, formatCount } from "../../contract/quantity.js";
import type { PublishReport } from "../../transfer/publish/publish-slices.js";
import { type CliContext, printJson } from "../context.js";
import { type Column, formatTable } from "../format/format-table.js";
import { createProgress } from "../format/progress.js";
import { style } from "../format/terminal-style.js";
import { examples, jsonOption } from "../options.js";

/** Longest list of slices that is printed; the rest is counted. */
const LIST_LINES = 20;

const COLUMNS: readonly Column[] = [
  { header: "root" },
  { header: "slice", grow: true },
  { header: "state" },
  { header: "size", align: "right" },
];

interface PublishOptions {
  readonly out: string;
  readonly json?: boolean;
}

/** Registers `publish`: verified slices in a static folder that any file host can serve. */
export function registerPublish(program: Command, context: CliContext): void {
  const command = program
    .command("publish")
    .description(
      "Verify slices and publish them to a static folder that any file host can serve, for `pull`.",
    )
    .argument("<dir...>", "slices, folders of slices such as `ingest --out` writes, or lakes")
    .requiredOption("--out <dir>", "the published folder; publishing again adds to it");
  jsonOption(command);
  examples(command, [
    "publish ./slices --out ./public",
    "publish ./lake --out ./public --json     # everything that the lake holds",
    "pull ./public --lake ./other-lake        # or its address, once a host serves it",
  ]);
  command.action(async (dirs: string[], options: PublishOptions) => {
    const { publishSlices } = await import("../../transfer/publish/publish-slices.js");
    const progress = createProgress(context);
    let report: PublishReport;
    try {
      report = await publishSlices(
        dirs.map((dir) => resolve(context.cwd, dir)),
        {
          out: resolve(context.cwd, options.out),
          signal: context.signal,
          onProgress: ({ done, total }) => progress.update("verifying", done, total, "bytes"),
        },
      );
    } finally {
      progress.end();
    }
    if (options.json) printJson(context, report);
    else printReport(report, options.out, context);
  });
}

function printReport({ slices, total }: PublishReport, out: string, context: CliContext): void {
  const rows = slices
    .slice(0, LIST_LINES)
    .map(({ root, name, state, bytes }) => [root.slice(0, 12), name, state, formatBytes(bytes)]);
  context.out.write(formatTable(COLUMNS, rows, context.out.columns));
  if (slices.length > LIST_LINES)
    context.out.write(`… and ${counted(slices.length - LIST_LINES, "more slice")}\n`);
  const added = slices.filter(({ state }) => state === "published").length;
  const words = `${counted(added, "slice")} published, ${out} now has ${formatCount(total.slices)} (${formatBytes(total.bytes)})`;
  context.out.write(`${style(context.out, "bold", words)}\n`);
}
