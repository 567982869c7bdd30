import { resolve } from "node:path";
import type { Command } from "commander";
import { counted } from "../../contract/quantity.js";
import { type CliContext, printJson } from "../context.js";
import { createProgress } from "../format/progress.js";
import { examples, existingLakePath, jsonOption, lakeOption, list } from "../options.js";

interface DescribeCommandOptions {
  readonly out: string;
  readonly name?: string;
  readonly description?: string;
  readonly url?: string;
  readonly baseUrl?: string;
  readonly creator?: readonly string[];
  readonly published?: string;
  readonly datasetVersion?: string;
  readonly pii: boolean;
  readonly lake?: string;
  readonly json?: boolean;
}

/** Registers `describe`: writes a Croissant file and a dataset card for slices. */
export function registerDescribe(program: Command, context: CliContext): void {
  const command = program
    .command("describe")
    .description(
      "Describe slices as a dataset: croissant.json (MLCommons Croissant 1.1) and a dataset card, README.md.",
    )
    .argument("[dirs...]", "slices, folders of slices, or lakes; by default the lake")
    .requiredOption("--out <dir>", "folder for the two files")
    .option("--name <text>", "name of the dataset (default: the slices' titles)")
    .option("--description <text>", "description of the dataset, one or two sentences")
    .option("--url <address>", "page of the dataset")
    .option("--base-url <address>", "address of the published slices; makes the file addresses absolute")
    .option("--creator <names>", "creators of the dataset (default: the slices' attributions)", list)
    .option("--published <day>", "day of publication, 2026-05-31 (default: that of the newest capture)")
    .option("--dataset-version <version>", "version of the dataset (default: 1.0.0)")
    .option("--no-pii", "do not search the texts for e-mail addresses, phone numbers and handles");
  lakeOption(jsonOption(command));
  examples(command, [
    "describe ./slices --out ./about",
    "describe ./published --base-url https://data.example.org/ --name 'May snapshot' --out ./about",
  ]);
  command.action(async (dirs: string[], options: DescribeCommandOptions) => {
    const { describeDataset } = await import("../../dataset/describe-dataset.js");
    const { name, description, url, baseUrl, creator, published, datasetVersion } = options;
    const progress = createProgress(context);
    try {
      const report = await describeDataset(
        dirs.length > 0
          ? dirs.map((dir) => resolve(context.cwd, dir))
          : [await existingLakePath(options, context)],
        {
          out: resolve(context.cwd, options.out),
          name,
          description,
          url,
          baseUrl,
          creators: creator,
          published,
          version: datasetVersion,
          pii: options.pii,
          signal: context.signal,
          onProgress: ({ done, total }) => progress.update("scanning", done, total, "items"),
        },
      );
      progress.end();
      if (options.json) return printJson(context, report);
      const { slices, records, raw } = report.summary;
      context.out.write(
        `${counted(records, "record")} and ${counted(raw, "raw item")} of ${counted(slices, "slice")} described in ` +
          `${report.croissant} and ${report.card}\n`,
      );
    } finally {
      progress.end();
    }
  });
}
