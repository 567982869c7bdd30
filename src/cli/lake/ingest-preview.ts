import { basename, dirname, resolve } from "node:path";
import { IngestError, MirrorlakeError, UsageError } from "../../contract/errors.js";
import { counted, formatCount } from "../../contract/quantity.js";
import type { SliceItem } from "../../contract/slice/slice-item.js";
import type { LeftOut } from "../../ingest/guess/left-out.js";
import { type CliContext, printJson } from "../context.js";
import { formatTable } from "../format/format-table.js";
import { style } from "../format/terminal-style.js";
import { printWarnings, sayWait } from "./ingest-report.js";

/** Options of the command `ingest`. */
export interface IngestCommandOptions {
  readonly adapter?: string;
  readonly out?: string;
  readonly explain?: string;
  readonly guess?: string;
  readonly preview?: number;
  readonly watch?: boolean;
  readonly stdinName?: string;
  readonly capturedAt?: string;
  readonly lang?: string;
  readonly platform?: string;
  readonly authorSalt?: string;
  readonly lake?: string;
  readonly pii?: boolean;
  readonly revises?: readonly string[];
  readonly strict?: boolean;
  readonly skipBadFiles?: boolean;
  readonly replace?: boolean;
  readonly maxRecordMib?: number;
  readonly json?: boolean;
}

/** Prints the fields of a resource or of the unified record. */
export async function explain(
  resource: string,
  { json }: IngestCommandOptions,
  context: CliContext,
): Promise<void> {
  const { explainShape } = await import("../../ingest/explain-shape.js");
  const shape = explainShape(resource);
  if (json) return printJson(context, shape);
  const { out } = context;
  const columns = [
    { header: "field" },
    { header: "type" },
    { header: "required" },
    { header: "meaning", grow: true },
  ];
  const rows = shape.fields.map(({ name, type, required, meaning }) => [
    name,
    type,
    required ? "yes" : "",
    meaning,
  ]);
  out.write(`${style(out, "bold", shape.resource)}: ${shape.meaning}\n`);
  out.write(formatTable(columns, rows, out.columns));
  out.write(shape.open ? "Further fields are kept.\n" : "Further fields are refused.\n");
}

/** Prints a mapping on standard output, and on standard error what to check in it. */
export async function guess(
  file: string,
  { json }: IngestCommandOptions,
  context: CliContext,
): Promise<void> {
  if (file === "-") {
    throw new IngestError(
      "nothing_to_guess",
      "Standard input can be read only once, and a guess reads twice",
      {
        value: file,
        remedy: "write it to a file first",
      },
    );
  }
  const { guessMapping } = await import("../../ingest/guess/guess-mapping.js");
  const guessed = await guessMapping(resolve(context.cwd, file), context.signal);
  if (json) return printJson(context, guessed);
  context.out.write(`${JSON.stringify(guessed.mapping, null, 2)}\n`);
  context.err.write("Check before you use it:\n");
  for (const doubt of guessed.doubts) context.err.write(`  ${doubt}\n`);
  if (guessed.leftOut.length > 0) context.err.write("Left out:\n");
  for (const line of leftOutLines(guessed.leftOut)) context.err.write(`  ${line}\n`);
}

/** Most fields left out for one reason that have a line each. */
const MAX_LINES = 12;

/** A line for each field left out; of many left out for one reason the first ones, and how many more there are. */
function leftOutLines(fields: readonly LeftOut[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { path, reason } of fields) byReason.set(reason, [...(byReason.get(reason) ?? []), path]);
  return [...byReason].flatMap(([reason, paths]) => {
    const lines = paths.slice(0, MAX_LINES).map((path) => `${path}: ${reason}`);
    const more = paths.length - lines.length;
    return more === 0
      ? lines
      : [...lines, `and ${counted(more, "field")} more (--json names them): ${reason}`];
  });
}

/** Prints what the first rows become: one JSON object a line, and on standard error what is rejected or left out. */
export async function preview(
  inputs: readonly string[],
  options: IngestCommandOptions,
  rows: number,
  context: CliContext,
): Promise<void> {
  if (inputs.length === 0) missing("<input...>");
  const { adapter = missing("--adapter"), capturedAt, lang, platform, json } = options;
  const [{ previewIngest }, { loadAdapter }] = await Promise.all([
    import("../../ingest/preview-ingest.js"),
    import("../../ingest/adapters/load-adapter.js"),
  ]);
  const result = await previewIngest(
    inputs.map((input) => inputOf(input, options, context)),
    {
      adapter: await loadAdapter(adapter.endsWith(".json") ? resolve(context.cwd, adapter) : adapter),
      rows,
      // Nothing is stored, so the salt of a lake is not touched.
      authorSalt: "preview",
      capturedAt,
      language: lang,
      platform,
      signal: context.signal,
      onWait: (file) => sayWait(file, { end: () => {} }, context),
    },
  );
  if (json) return printJson(context, result);
  const { out, err } = context;
  for (const item of result.items)
    out.write(`${JSON.stringify(item.kind === "record" ? item.record : item.raw, null, 2)}\n`);
  for (const { file, line, element, field, reason } of result.rejects) {
    const place = element === undefined ? `line ${line}` : `line ${line}, element ${element}`;
    const what = field === "" ? reason : `${field} ${reason}`;
    err.write(`${style(err, "red", "rejected")} ${file}, ${place}: ${what}\n`);
  }
  for (const { file, line, reason } of result.unused) err.write(`unused ${file}, line ${line}: ${reason}\n`);
  printWarnings(err, result.warnings);
  const count = (kind: SliceItem["kind"]) => result.items.filter((item) => item.kind === kind).length;
  const parts = result.sources.map(({ name, rows: read }) => `${formatCount(read)} of ${name}`);
  const sources = parts.length > 1 ? ` (${parts.join(", ")})` : "";
  err.write(
    `${counted(result.rows, "row")}${sources}: ${counted(count("record"), "record")}, ${counted(count("raw"), "raw item")}, ${formatCount(result.rejects.length)} rejected\n`,
  );
}

/** A path, or for `-` standard input. */
export function inputOf(input: string, { stdinName }: IngestCommandOptions, { cwd, stdin }: CliContext) {
  if (input !== "-" || stdin === undefined) return resolve(cwd, input);
  return { name: stdinName ?? "stdin", bytes: stdin };
}

/** Shows the preview again whenever the mapping file is saved, until the command is interrupted. */
export async function watchPreview(
  inputs: readonly string[],
  options: IngestCommandOptions,
  rows: number,
  context: CliContext,
): Promise<void> {
  const { adapter = missing("--adapter") } = options;
  const file = resolve(context.cwd, adapter);
  const show = async () => {
    try {
      await preview(inputs, options, rows, context);
    } catch (error) {
      if (!(error instanceof MirrorlakeError)) throw error;
      context.err.write(`${style(context.err, "red", error.message)}\n  ${error.remedy}\n`);
    }
    context.err.write(style(context.err, "dim", `Waiting for ${adapter} to be saved; Ctrl-C ends.\n`));
  };
  // Editors replace a file as often as they write to it, so its folder is watched.
  const { watch } = await import("node:fs/promises");
  const changes = watch(dirname(file), { signal: context.signal });
  let shown = await modifiedMs(file);
  await show();
  try {
    for await (const { filename } of changes) {
      const modified = await modifiedMs(file);
      if (filename !== basename(file) || modified === shown) continue;
      shown = modified;
      if (modified !== undefined) await show();
    }
  } catch (error) {
    if (!context.signal.aborted) throw error;
  }
}

async function modifiedMs(file: string): Promise<number | undefined> {
  const { stat } = await import("node:fs/promises");
  return (await stat(file).catch(() => undefined))?.mtimeMs;
}

/** Refuses a command line without a part that it needs. */
export function missing(what: string): never {
  throw new UsageError("missing_argument", `ingest needs ${what}`, {
    value: what,
    remedy: "see mirrorlake ingest --help",
  });
}
