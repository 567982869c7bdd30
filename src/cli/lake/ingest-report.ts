import { counted, formatBytes, formatCount, formatDuration } from "../../contract/quantity.js";
import { terminalLine } from "../../contract/terminal-text.js";
import type { IngestProgress, IngestReport } from "../../ingest/ingest-report.js";
import type { IngestWarning } from "../../ingest/ingest-warning.js";
import type { BadFile, FileNotRead } from "../../ingest/readers/read-options.js";
import type { CliContext } from "../context.js";
import { formatSlices } from "../format/format-slices.js";
import { formatTable } from "../format/format-table.js";
import type { Progress } from "../format/progress.js";
import { strayNote } from "../format/stray-note.js";
import { style } from "../format/terminal-style.js";

/** Longest list that is printed; the rest is counted. */
const LIST_LINES = 12;

/** Shows the progress of an ingestion. */
export function showProgress(
  { phase, bytesRead, bytesTotal, rows, slices }: IngestProgress,
  progress: Progress,
): void {
  if (phase === "write") progress.update("writing", slices, 0, "slices");
  else {
    const megabytes = (bytes: number) => Math.round(bytes / 1e6);
    progress.update("reading", megabytes(bytesRead), megabytes(bytesTotal), `MB, ${counted(rows, "row")}`);
  }
}

/** Says that an ingestion waits for a program to write to a named pipe. */
export function sayWait(file: string, progress: Pick<Progress, "end">, { err }: CliContext): void {
  progress.end();
  err.write(`Waiting for a program to write to ${terminalLine(file)}, a named pipe; Ctrl-C ends.\n`);
}

/** Prints what an ingestion did. Without the path of a rejects file there is none. */
export function printReport(
  report: Omit<IngestReport, "rejectsFile"> & Partial<Pick<IngestReport, "rejectsFile">>,
  context: CliContext,
): void {
  const { out, err } = context;
  if (report.slices.length > 0) {
    out.write(
      formatSlices(
        report.slices.slice(0, LIST_LINES).map(({ manifest }) => manifest),
        out.columns,
      ),
    );
    if (report.slices.length > LIST_LINES)
      out.write(`… and ${counted(report.slices.length - LIST_LINES, "more slice")}\n`);
  }
  const counts = [
    `${counted(report.read, "row")} read`,
    counted(report.records, "record"),
    counted(report.raw, "raw item"),
    `${formatCount(report.rejected)} rejected`,
    ...(report.rejectedItems > 0 ? [`${counted(report.rejectedItems, "item")} lost to others`] : []),
    ...(report.unused > 0 ? [`${formatCount(report.unused)} unused`] : []),
    ...(report.duplicates > 0 ? [counted(report.duplicates, "duplicate")] : []),
  ];
  out.write(`${style(out, "bold", counts.join(", "))}\n`);
  const speed = formatBytes(report.bytesRead / Math.max(report.seconds, 0.001));
  out.write(
    `${counted(report.slices.length, "slice")} in ${report.out}, ${formatDuration(report.seconds * 1000)}, ${speed}/s\n`,
  );
  if (report.slices.length === 0 && report.records + report.raw > 0)
    err.write("Each would be as the one that it revises: there is nothing to install.\n");
  if (report.stray !== undefined) err.write(`${strayNote(report.stray)}\n`);
  const rejects =
    report.rejectsFile === undefined ? "--out keeps the rejected rows" : `see ${report.rejectsFile}`;
  printReasons(err, "rejected", report.rejectsByReason, rejects);
  printReasons(err, "unused", report.unusedByReason);
  printNotRead(err, report.filesNotRead);
  printBadFiles(err, report.badFiles);
  printWarnings(err, report.warnings);
  if (report.read > 0 && report.records + report.raw === 0) {
    err.write(style(err, "red", "No record and no raw item: no row fits this adapter.\n"));
  }
}

function printReasons(
  err: CliContext["err"],
  header: string,
  reasons: Readonly<Record<string, number>>,
  where?: string,
): void {
  const entries = Object.entries(reasons);
  if (entries.length === 0) return;
  err.write(
    formatTable(
      [
        { header, align: "right" },
        { header: "reason", grow: true },
      ],
      entries.slice(0, LIST_LINES).map(([reason, count]) => [formatCount(count), reason]),
      err.columns,
    ),
  );
  if (entries.length > LIST_LINES)
    err.write(`… and ${counted(entries.length - LIST_LINES, "more reason")}\n`);
  if (where !== undefined) err.write(`${where}\n`);
}

/** Says which fields are empty because the mapping and the rows do not go together. */
export function printWarnings(err: CliContext["err"], warnings: readonly IngestWarning[]): void {
  for (const { message } of warnings.slice(0, LIST_LINES))
    err.write(`${style(err, "yellow", "warning")} ${terminalLine(message)}\n`);
  if (warnings.length > LIST_LINES)
    err.write(`… and ${counted(warnings.length - LIST_LINES, "more warning")}; --json lists all\n`);
}

/** Says what is wrong with each file that could not be read to its end. */
function printBadFiles(err: CliContext["err"], files: readonly BadFile[]): void {
  if (files.length === 0) return;
  err.write(style(err, "red", `${counted(files.length, "file")} not read to the end:\n`));
  for (const { reason, rows } of files.slice(0, LIST_LINES)) {
    err.write(`  ${reason}${rows === 0 ? "" : ` (${counted(rows, "row")} before it kept)`}\n`);
  }
  if (files.length > LIST_LINES)
    err.write(`  … and ${counted(files.length - LIST_LINES, "more file")}; --json lists all\n`);
}

/**
 * Names the files that no reader accepts, and those that the inputs lead to by several names. Files that the adapter skips on purpose are
 * only counted.
 */
function printNotRead(err: CliContext["err"], all: readonly FileNotRead[]): void {
  const again = all.filter(({ sameAs, expected }) => sameAs !== undefined && !expected);
  for (const { file, reason } of again.slice(0, LIST_LINES))
    err.write(`${style(err, "yellow", "warning")} ${terminalLine(`${file} ${reason}`)}\n`);
  if (again.length > LIST_LINES)
    err.write(`… and ${counted(again.length - LIST_LINES, "more file")} named twice; --json lists all\n`);
  const files = all.filter(({ sameAs }) => sameAs === undefined);
  const surprising = files.filter(({ expected }) => !expected);
  const known = files.length - surprising.length;
  if (surprising.length > 0) {
    const names = surprising.slice(0, LIST_LINES).map(({ file }) => file);
    const more = surprising.length > names.length ? `, and ${surprising.length - names.length} more` : "";
    err.write(`Not read: ${names.map(terminalLine).join(", ")}${more}\n`);
  }
  if (known > 0) err.write(`Skipped by the adapter: ${counted(known, "more file")}\n`);
}
