import { resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { type Command, Option } from "commander";
import { counted, formatDuration } from "../../contract/quantity.js";
import type { Domain } from "../../contract/service/platforms.js";
import { terminalLine } from "../../contract/terminal-text.js";
import { EXPORT_FORMATS, type ExportFormat } from "../../lake/query/export-formats.js";
import { type CliContext, printJson } from "../context.js";
import { createProgress } from "../format/progress.js";
import { type LakeOptions, withLake } from "../lake-option.js";
import { clickHouseLake, examples, jsonOption, lakeOption, list, readOnlyOption } from "../options.js";
import { printExport, STANDARD_OUTPUT } from "./print-export.js";

interface ExportCommandOptions extends LakeOptions {
  readonly out: string;
  readonly format: ExportFormat;
  readonly vectors?: boolean;
  readonly escapeFormulas?: boolean;
  readonly domain?: readonly Domain[];
  readonly platform?: readonly string[];
  readonly lang?: readonly string[];
  readonly from?: string;
  readonly to?: string;
}

/** Registers `export`: all or selected records of a lake as one file. */
export function registerExport(program: Command, context: CliContext): void {
  const command = program
    .command("export")
    .description("Write records into one file; it appears only when complete.")
    .requiredOption(
      "--out <file>",
      "file to write, an existing one is replaced; - prints jsonl or csv once it is complete",
    )
    .addOption(
      new Option("--format <name>", "unified records (jsonl), or the columns of the view records")
        .choices(EXPORT_FORMATS)
        .makeOptionMandatory(),
    )
    .option("--vectors", "include the 1536-dimensional vector of each record")
    .option("--escape-formulas", "in CSV, put an apostrophe before what a spreadsheet takes for a formula")
    .option("--domain <names>", "social, ecommerce, web; several with commas", list)
    .option("--platform <slugs>", "platform slugs", list)
    .option("--lang <tags>", "BCP-47 language tags; zh includes zh-Hant", list)
    .option("--from <when>", "captured at or after: an ISO 8601 date or instant")
    .option("--to <when>", "captured at or before: an ISO 8601 date or instant");
  readOnlyOption(lakeOption(jsonOption(command)), true);
  examples(command, [
    "export --lake ./lake --format parquet --out records.parquet",
    "export --format jsonl.gz --domain social --lang zh,id --out social.jsonl.gz",
    "export --format csv --platform forum --out -",
    "export --format arrow --vectors --from 2026-05-01 --to 2026-05-31 --out may.arrow",
  ]);
  command.action((options: ExportCommandOptions) =>
    withLake({ ...options, free: true }, context, async (lake) => {
      const started = performance.now();
      const progress = createProgress(context);
      const { format, vectors, escapeFormulas, domain, platform, lang, from, to } = options;
      const write = async (file: string) => {
        const report = await lake.export(file, {
          format,
          vectors,
          escapeFormulas,
          domains: domain,
          platforms: platform,
          langs: lang,
          from,
          to,
          signal: context.signal,
          onProgress: (done, total) => progress.update("exporting", done, total, "records"),
        });
        progress.end();
        // A server's corpus is not asked for what it lacks: each question would be a query.
        if (report.records === 0 && clickHouseLake(options, context) === undefined) {
          const { missingFrom } = await import("../../endpoints/filter-hint.js");
          const missing = missingFrom(lake.lake.corpus, {
            domains: domain,
            platforms: platform,
            langs: lang,
          });
          if (missing !== undefined) context.err.write(`Hint: ${terminalLine(missing)}\n`);
        }
        return report;
      };
      try {
        if (options.out === STANDARD_OUTPUT)
          return await printExport(
            format,
            options.json === true,
            async (file) => void (await write(file)),
            context,
          );
        const report = await write(resolve(context.cwd, options.out));
        if (options.json) return printJson(context, report);
        const took = formatDuration(performance.now() - started);
        context.out.write(`${counted(report.records, "record")} written to ${report.file}, ${took}\n`);
      } finally {
        progress.end();
      }
    }),
  );
}
