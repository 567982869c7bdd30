import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { UsageError } from "../../contract/errors.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { MAPPING_FILE } from "../../ingest/adapters/mapping-file.js";
import type { IngestOptions } from "../../ingest/ingest.js";
import type { IngestReport } from "../../ingest/ingest-report.js";
import { type CliContext, printJson } from "../context.js";
import { EXIT } from "../defaults.js";
import { formatPii } from "../format/format-pii.js";
import { createProgress } from "../format/progress.js";
import { examples, jsonOption, lakeOption, list, saltLake, wholeNumber } from "../options.js";
import {
  explain,
  guess,
  type IngestCommandOptions,
  inputOf,
  missing,
  preview,
  watchPreview,
} from "./ingest-preview.js";
import { printReport, sayWait, showProgress } from "./ingest-report.js";
import { scanFolders } from "./pii.js";

/** Environment variable that replaces a missing `--author-salt`. */
const SALT_VARIABLE = "MIRRORLAKE_AUTHOR_SALT";

/** Registers `ingest`: converts source files to slices with an adapter. */
export function registerIngest(program: Command, context: CliContext): void {
  const command = program
    .command("ingest")
    .description(
      "Turn downloaded files into slices: JSON lines, JSON, CSV, TSV, Parquet; plain, .gz, or in a .zip.",
    )
    .argument("[input...]", "files and folders; a zip archive is a folder; - is standard input")
    .option(
      "--adapter <name>",
      "format of the files: an adapter of the list below, or a mapping file (.json)",
    )
    .option("--out <dir>", "new folder for the slices and rejects.jsonl")
    .option(
      "--explain <resource>",
      "say what the data of a resource has to look like, or of a record, and end",
    )
    .option("--guess <file>", "look at a file of any shape, write a mapping to start from, and end")
    .option(
      "--preview <n>",
      "show what the first rows of each source become, write nothing, and end",
      wholeNumber(1, 1000),
    )
    .option("--watch", "show the preview again whenever the mapping file is saved, until Ctrl-C")
    .option(
      "--captured-at <instant>",
      "capture instant of all rows, for data without one: 2026-05-27T08:00:00Z",
    )
    .option(
      "--lang <tag>",
      "language of all rows (BCP 47), instead of the one that the adapter sets or detects",
    )
    .option("--platform <slug>", "platform of all rows, instead of the adapter's")
    .option(
      "--author-salt <text>",
      `salt of the author id hashes (default: $${SALT_VARIABLE}, else the lake's, else a random one kept in --out)`,
    )
    .option("--pii", "then report likely e-mail addresses, phone numbers and handles in the text")
    .option(
      "--revises <dir>",
      "slices that the new ones supersede: a slice, a folder of slices or a lake; can be repeated",
      list,
    )
    .option("--strict", "fail at the first rejected row, and write nothing")
    .option(
      "--skip-bad-files",
      "keep what is good where a file cannot be read to its end, list such files, and end with exit code 3",
    )
    .option(
      "--stdin-name <name>",
      "file name of standard input, whose ending says its format: posts.jsonl.gz",
    )
    .option("--replace", "replace the output of an earlier run in --out")
    .option(
      "--max-record-mib <n>",
      "longest accepted line, record or array element (default: 64)",
      wholeNumber(1, 1024),
    );
  lakeOption(jsonOption(command));
  listAdapters(program, command);
  examples(command, [
    "ingest ./crawl --adapter ./my-mapping.json --out ./slices --skip-bad-files",
    "ingest ./downloads --adapter short-video-native --captured-at 2026-05-29T12:00:00Z --out ./slices",
    "ingest reviews.csv.gz more-reviews.zip --adapter marketplace-reviews --lang id --out ./slices",
    "ingest --guess export.csv > my-mapping.json",
    "ingest export.csv --adapter ./my-mapping.json --preview 5 --watch",
    "ingest calls.jsonl --adapter cassette --out ./slices",
    "ingest --explain comment",
    "ingest - --stdin-name posts.jsonl --adapter ./my-mapping.json --out ./slices",
    "ingest export.jsonl --adapter ./my-mapping.json --out ./slices --strict --json",
  ]);
  command.action(async (inputs: string[], options: IngestCommandOptions) => {
    if (options.explain !== undefined) return explain(options.explain, options, context);
    if (options.guess !== undefined) {
      if (inputs.length > 0) refuseInputs(inputs, options.guess);
      return guess(options.guess, options, context);
    }
    if (options.watch) return watchPreview(inputs, options, options.preview ?? 5, context);
    if (options.preview !== undefined) return preview(inputs, options, options.preview, context);
    const report = await runIngest(inputs, options, context);
    if (report.badFiles.length > 0) context.fail(EXIT.incomplete);
    if (report.read > 0 && report.records + report.raw === 0) context.fail();
    const pii =
      options.pii && report.slices.length > 0
        ? await scanFolders(
            report.slices.map(({ dir }) => dir),
            context,
          )
        : undefined;
    if (options.json) return printJson(context, pii === undefined ? report : { ...report, pii });
    printReport(report, context);
    if (pii !== undefined) context.out.write(formatPii(pii, context.out.columns));
  });
}

/** What is given beside `--guess` would be ignored: it is the file to look at, or the mapping is thought to be written by name. */
function refuseInputs(inputs: readonly string[], guessed: string): never {
  const value = inputs.join(" ");
  throw new UsageError(
    "invalid_argument",
    `--guess looks at one file or folder, ${guessed}, not at ${value}`,
    {
      value,
      remedy: `it prints the mapping: mirrorlake ingest --guess ${inputs.length === 1 ? value : "<file>"} > mapping.json`,
    },
  );
}

async function runIngest(
  inputs: readonly string[],
  options: IngestCommandOptions,
  context: CliContext,
): Promise<IngestReport> {
  const [{ ingest }, { loadAdapter }] = await Promise.all([
    import("../../ingest/ingest.js"),
    import("../../ingest/adapters/load-adapter.js"),
  ]);
  if (inputs.length === 0) missing("<input...>");
  const {
    adapter = (await mappingBeside(inputs, context)) ?? missing("--adapter"),
    out = missing("--out"),
    capturedAt,
    lang,
    platform,
    maxRecordMib,
  } = options;
  const chosen = await loadAdapter(adapter.endsWith(".json") ? resolve(context.cwd, adapter) : adapter);
  const authorSalt = options.authorSalt ?? (context.env[SALT_VARIABLE] || undefined);
  const lake = authorSalt === undefined ? await saltLake(options, context) : undefined;
  const given: Partial<IngestOptions> = {
    capturedAt,
    language: lang,
    platform,
    authorSalt,
    lake,
    limits: maxRecordMib === undefined ? undefined : { maxRecordBytes: maxRecordMib * 2 ** 20 },
  };
  const revises = await revisedSlices(options.revises ?? [], context);
  const progress = createProgress(context);
  try {
    return await ingest(
      inputs.map((input) => inputOf(input, options, context)),
      {
        adapter: chosen,
        out: resolve(context.cwd, out),
        strict: options.strict ?? false,
        skipBadFiles: options.skipBadFiles ?? false,
        replace: options.replace ?? false,
        ...(revises.length === 0 ? {} : { revises }),
        ...given,
        signal: context.signal,
        onProgress: (at) => {
          if (at.phase === "wait") sayWait(at.file, progress, context);
          else showProgress(at, progress);
        },
      },
    );
  } finally {
    progress.end();
  }
}

/** The manifests of the slices that the new slices supersede. */
async function revisedSlices(dirs: readonly string[], { cwd }: CliContext): Promise<SliceManifest[]> {
  if (dirs.length === 0) return [];
  const { findSlices } = await import("../../lake/find-slices.js");
  const { isLake, lakeSlices } = await import("../../lake/lake-slices.js");
  const manifests: SliceManifest[] = [];
  for (const dir of dirs.map((given) => resolve(cwd, given))) {
    const found = (await isLake(dir))
      ? await lakeSlices(dir)
      : (await findSlices([dir])).map(({ manifest }) => manifest);
    manifests.push(...found);
  }
  return manifests;
}

/** Lists the adapters in the help. They are loaded only when this command runs. */
function listAdapters(program: Command, command: Command): void {
  let list = "\nAdapters: see `mirrorlake ingest --help`";
  program.hook("preSubcommand", async (_program, chosen) => {
    if (chosen !== command) return;
    const { shippedAdapters } = await import("../../ingest/adapters/shipped.js");
    const adapters = shippedAdapters();
    const width = Math.max(...adapters.map(({ name }) => name.length));
    const lines = adapters.map(({ name, info }) => `  ${name.padEnd(width)}  ${info.title}\n`);
    list = `\nAdapters:\n${lines.join("").trimEnd()}`;
  });
  command.addHelpText("after", () => list);
}

/** The mapping in an input folder, where there is one. */
async function mappingBeside(inputs: readonly string[], { cwd }: CliContext): Promise<string | undefined> {
  for (const input of inputs) {
    const path = resolve(cwd, input, MAPPING_FILE);
    const isFile = await stat(path).then(
      (stats) => stats.isFile(),
      () => false,
    );
    if (isFile) return path;
  }
  return undefined;
}
