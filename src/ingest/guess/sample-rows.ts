import { basename } from "node:path";
import { IngestError } from "../../contract/errors.js";
import { counted, formatCount } from "../../contract/quantity.js";
import type { Reject } from "../adapters/adapter.js";
import type { ReadOptions } from "../adapters/source-spec.js";
import { INGEST_LIMITS } from "../defaults.js";
import { findFiles } from "../readers/find-files.js";
import type { FoundFile } from "../readers/found-file.js";
import { openBytes } from "../readers/open-bytes.js";
import { readSource } from "../readers/read-source.js";
import { formatByName } from "../readers/sniff.js";
import { readOptionsOf } from "./guess-format.js";

/** Rows that a guess looks at. */
const SAMPLE_ROWS = 500;
/** Bytes of a document's start that are searched for its rows. */
const HEAD_BYTES = 4 * 2 ** 20;
/** Files of a folder or an archive that are looked at. */
const MAX_FILES = 32;

/** First rows of files of one shape, and how they are read. */
export interface Sample {
  /** Name of the first of the files. */
  readonly name: string;
  readonly rows: readonly unknown[];
  /** As `read` of a source; undefined where the file's name says it all. */
  readonly read: ReadOptions | undefined;
  /** Globs of the files. */
  readonly files: readonly string[];
  /** What is not sure about the format. */
  readonly doubts: readonly string[];
}

/**
 * Reads the first rows of a file, or of the files of a folder or an archive: plain or gzip-compressed JSON lines, JSON, CSV, TSV or
 * Parquet. The delimiter of a table and the place of a document's rows are found out. Files whose rows have the same members are of
 * one shape.
 * @throws IngestError for a file that cannot be read in any of these formats, if it is the only one
 */
export async function sampleRows(
  path: string,
  signal?: AbortSignal,
): Promise<{ readonly samples: readonly Sample[]; readonly doubts: readonly string[] }> {
  const { files } = await findFiles([path], { limits: INGEST_LIMITS, ignore: [], signal });
  const readable = files.filter(({ name, named }) => named || formatByName(name) !== undefined);
  const chosen = readable.length > 0 ? readable : files.slice(0, 1);
  if (chosen.length === 0) throw nothing(path, `${basename(path)} holds no file`);
  if (chosen[0]!.bytes !== undefined)
    throw nothing(
      path,
      `${basename(path)} is a pipe, which can be read only once`,
      "write it to a file first",
    );
  const looked = chosen.slice(0, MAX_FILES);
  const doubts: string[] = [];
  if (looked.length < files.length) {
    const names = looked.length > 1 ? `the first ${looked.length}` : looked[0]!.label;
    doubts.push(`files: ${names} of ${files.length} were looked at`);
  }
  const shapes: { file: FoundFile; sample: Shape; members: ReadonlySet<string>; files: FoundFile[] }[] = [];
  for (const file of looked) {
    let sample: Shape;
    try {
      sample = await sampleFile(path, file, looked.length === 1, signal);
    } catch (error) {
      if (!(error instanceof IngestError) || looked.length === 1) throw error;
      doubts.push(`files: ${file.label} is left out: ${error.message}`);
      continue;
    }
    const members = membersOf(sample.rows);
    const like = shapes.find(
      (shape) =>
        isLike(shape.members, members) && JSON.stringify(shape.sample.read) === JSON.stringify(sample.read),
    );
    if (like === undefined) shapes.push({ file, sample, members, files: [file] });
    else like.files.push(file);
  }
  if (shapes.length === 0) throw nothing(path, `no file of ${basename(path)} can be read`);
  const samples = shapes.map(({ file, sample, files: alike }) => {
    const others = shapes.filter((shape) => shape.sample !== sample).flatMap((shape) => shape.files);
    return { name: file.name, ...sample, files: globsOf(alike, others) };
  });
  return { samples, doubts };
}

type Shape = Omit<Sample, "files" | "name">;

async function sampleFile(
  path: string,
  file: FoundFile,
  isOnly: boolean,
  signal: AbortSignal | undefined,
): Promise<Shape> {
  const doubts: string[] = [];
  const name = basename(file.name);
  const head = /\.(parquet|pq)$/i.test(name) ? "" : await headOf(file);
  const read = readOptionsOf(name, head, doubts);
  const rows: unknown[] = [];
  let unread = 0;
  let first: Reject | undefined;
  // A mark of globs in the file's own name stands for any character.
  const source = { name: "rows", files: [file.name.replace(/[*?{}]/g, "?")], read };
  const batches = readSource([path], {
    sources: [source],
    signal,
    rowsOfEach: SAMPLE_ROWS,
    onReject: (reject) => {
      if (!isOnly && reject.file !== file.label) return;
      unread += 1;
      first ??= reject;
    },
  });
  for await (const batch of batches) {
    for (const row of batch) if (isOnly || row.file === file.label) rows.push(row.value);
  }
  if (rows.length === 0) throw nothing(path, `${name} has no row`);
  if (first !== undefined) doubts.push(unreadRows(unread, rows.length, first));
  return { rows, read, doubts };
}

/** Says that some of the rows looked at will be rejects. */
function unreadRows(unread: number, read: number, { line, reason }: Reject): string {
  const remedy = reason.includes("quote") ? '; `"quote": null` in `read` takes quotes as they stand' : "";
  const looked = counted(unread + read, "row");
  return `rows: ${formatCount(unread)} of ${looked} looked at cannot be read (the first in line ${line} ${reason})${remedy}`;
}

function nothing(path: string, message: string, remedy = "name a file with some rows"): IngestError {
  return new IngestError("nothing_to_guess", message, { value: path, remedy });
}

/** Names of the members of most rows. */
function membersOf(rows: readonly unknown[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    if (row === null || typeof row !== "object") continue;
    for (const name of Object.keys(row)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return new Set([...counts].flatMap(([name, count]) => (count * 2 >= rows.length ? [name] : [])));
}

function isLike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const shared = [...a].filter((name) => b.has(name)).length;
  return a.size + b.size === 0 || shared * 2 > Math.max(a.size, b.size);
}

/** Globs of files: of their ending, where no other file has it; else their names. */
function globsOf(files: readonly FoundFile[], others: readonly FoundFile[]): readonly string[] {
  const endingOf = ({ name }: FoundFile) => /\.[A-Za-z0-9]+$/.exec(basename(name))?.[0] ?? "";
  const endings = new Set(files.map(endingOf));
  if (!endings.has("") && !others.some((file) => endings.has(endingOf(file))))
    return [...endings].map((ending) => `*${ending}`);
  return files.map(({ name }) => name.replace(/[*?{}]/g, "?"));
}

async function headOf(file: FoundFile): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of openBytes(file, { limits: INGEST_LIMITS })) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= HEAD_BYTES) break;
  }
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/^\ufeff/, "");
}
