import { createReadStream } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../contract/errors.js";
import { inSystemFolder } from "../../files/system-folder.js";
import type { ExportFormat } from "../../lake/query/export-formats.js";
import type { CliContext } from "../context.js";

/** The name of a file that stands for standard output. */
export const STANDARD_OUTPUT = "-";

/** Formats that are text. */
const PRINTED: ReadonlySet<ExportFormat> = new Set(["jsonl", "csv"]);

/**
 * Has a file written in a temporary folder, prints it once it is complete, at the pace of its reader, and removes it.
 * @param write writes the file at a path
 * @throws UsageError `invalid_argument` of a format that is no text, or with `--json`; what `write` throws; the signal's reason
 */
export async function printExport(
  format: ExportFormat,
  json: boolean,
  write: (file: string) => Promise<void>,
  context: CliContext,
): Promise<void> {
  if (!PRINTED.has(format) || json)
    throw new UsageError(
      "invalid_argument",
      json
        ? "--json prints the report where --out - prints the records"
        : `${format} is not printed: it is not text`,
      {
        value: STANDARD_OUTPUT,
        remedy: json ? "leave out --json" : "name a file with --out, or take --format jsonl or csv",
      },
    );
  await inSystemFolder("export", async (folder) => {
    const file = join(folder, "records");
    await write(file);
    await printFile(file, context);
  });
}

/** Prints a text file at the pace of who reads standard output. @throws the signal's reason */
export async function printFile(file: string, { out, signal }: CliContext): Promise<void> {
  for await (const text of createReadStream(file, { encoding: "utf8", signal })) {
    out.data(text);
    await out.drained(signal);
  }
}
