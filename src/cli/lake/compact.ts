import type { Command } from "commander";
import { counted } from "../../contract/quantity.js";
import { type CliContext, printJson } from "../context.js";
import { showInstall } from "../format/install-phases.js";
import { createProgress } from "../format/progress.js";
import { style } from "../format/terminal-style.js";
import { examples, jsonOption, lakeOption, lakePath, wholeNumber } from "../options.js";
import { type EmbedderOptions, embedderOf, embedderOption } from "./embedder-option.js";

interface CompactCommandOptions extends EmbedderOptions {
  readonly lake?: string;
  readonly refit?: boolean;
  readonly threads?: number;
  readonly json?: boolean;
}

/** Registers `compact`: rewrites the index as one segment and deletes the bytes of removed data. */
export function registerCompact(program: Command, context: CliContext): void {
  const command = program
    .command("compact")
    .description(
      "Rewrite a lake without replaced and removed data: one segment, withheld slices replaced by revisions.",
    )
    .option("--refit", "fit the lake's embedder again; vectors and rankings may change")
    .option("--threads <n>", "build threads (default: one per processor)", wholeNumber(1, 256));
  embedderOption(lakeOption(command));
  jsonOption(command);
  examples(command, ["compact --lake ./lake", "compact --lake ./lake --refit --json"]);
  command.action(async (options: CompactCommandOptions) => {
    const { compactLake } = await import("../../lake/maintain/compact-lake.js");
    const embedder = await embedderOf(options, context);
    const progress = createProgress(context);
    const report = await compactLake({
      lake: lakePath(options, context),
      embedder,
      refit: options.refit ?? false,
      threads: options.threads,
      signal: context.signal,
      onProgress: showInstall(progress),
    }).finally(() => progress.end());
    if (options.json) {
      printJson(context, report);
      return;
    }
    const { out } = context;
    const { segments, dropped, revised, heldGenerations } = report;
    out.write(
      report.change === "none"
        ? "Nothing to compact: one segment, and no removed data is stored.\n"
        : `${style(out, "bold", `${counted(segments.before, "segment")} ${segments.before === 1 ? "is" : "are"} now ${segments.after}`)}; ${counted(dropped.records, "record")} and ${counted(dropped.raw, "raw item")} that were replaced or removed are deleted\n`,
    );
    for (const { from, to } of revised)
      out.write(`${from.slice(0, 12)} → ${to === null ? "nothing left" : to.slice(0, 12)}\n`);
    if (heldGenerations.length > 0) {
      out.write(
        `still in use: ${heldGenerations.length === 1 ? "generation" : "generations"} ${heldGenerations.join(", ")}; \`mirrorlake gc\` deletes the bytes when no process reads them\n`,
      );
    }
    out.write(`corpus: ${report.corpus}\n`);
  });
}
