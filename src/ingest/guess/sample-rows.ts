import { basename } from "node:path";
import { IngestError } from "../../contract/errors.js";
import { counted, formatCount } from "../../contract/quantity.js";
import type { Reject } from "../adapters/adapter.js";
import { INGEST_LIMITS } from "../defaults.js";
import { compileConditions } from "../mapping/condition.js";
import { findFiles } from "../readers/find-files.js";
import type { FoundFile } from "../readers/found-file.js";
import { compileGlobs, isHidden } from "../readers/glob.js";
import { openBytes } from "../readers/open-bytes.js";
import { readFound } from "../readers/read-source.js";
import { formatByName } from "../readers/sniff.js";
import { globsOf, nameAsGlob } from "./globs-of.js";
import { type GuessedFormat, guessFormat } from "./guess-format.js";

/** Rows of a file that a guess looks at, and rows of all files together, as far as each has its share. */
const SAMPLE_ROWS = 500;
const ALL_ROWS = 4_000;
/** Bytes of a document's start that are searched for its rows. */
const HEAD_BYTES = 4 * 2 ** 20;
/** Files of a folder or an archive that are looked at. */
const MAX_FILES = 32;

/** First rows of files of one shape, and how they are read. */
export interface Sample extends GuessedFormat {
  /** Name of the first of the files. */
  readonly name: string;
  /** The first rows of each of the files that were looked at. */
  readonly rows: readonly unknown[];
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
  const all = await findFiles([path], { limits: INGEST_LIMITS, ignore: [], signal });
  const files = all.files.filter(({ name, named }) => named || !isHidden(name));
  const readable = files.filter(({ name, named }) => named || formatByName(name) !== undefined);
  const chosen = readable.length > 0 ? readable : files;
  if (chosen.length === 0) throw nothing(path, `${basename(path)} holds no file`);
  if (chosen[0]!.bytes !== undefined)
    throw nothing(
      path,
      `${basename(path)} is a pipe, which can be read only once`,
      "write it to a file first",
    );
  const looked = spread(chosen);
  const rowsOfEach = Math.min(SAMPLE_ROWS, Math.ceil(ALL_ROWS / looked.length));
  const doubts: string[] = [];
  const found: FilesOfShape[] = [];
  for (const file of looked) {
    let sample: Shape;
    try {
      sample = await sampleFile(path, file, rowsOfEach, signal);
    } catch (error) {
      if (!(error instanceof IngestError) || looked.length === 1) throw error;
      doubts.push(`files: ${file.label} is left out: ${error.message}`);
      continue;
    }
    found.push({ sample, members: membersOf(sample.rows), files: [file] });
  }
  // What is optional in a shape is known once all files are.
  const shapes = alikeTogether(alikeTogether(found));
  if (shapes.length === 0) throw nothing(path, `no file of ${basename(path)} can be read`);
  const samples = shapes.map(({ sample, files: alike }) => {
    const others = shapes.filter((shape) => shape.sample !== sample).flatMap((shape) => shape.files);
    return { name: alike[0]!.name, ...sample, files: globsOf(alike, others) };
  });
  if (looked.length < files.length) {
    const names = looked.length > 1 ? formatCount(looked.length) : looked[0]!.label;
    doubts.unshift(
      `files: ${names} of ${formatCount(files.length)} were looked at${unmatched(samples, files)}`,
    );
  }
  return { samples, doubts };
}

type Shape = GuessedFormat & { readonly rows: unknown[]; readonly doubts: string[] };

/** Files whose rows have the same members, and the first rows of each. */
interface FilesOfShape {
  readonly sample: Shape;
  readonly members: Members;
  readonly files: FoundFile[];
}

/** Files by their shape, in the order of the first of each. */
function alikeTogether(found: readonly FilesOfShape[]): readonly FilesOfShape[] {
  const shapes: FilesOfShape[] = [];
  for (const one of found) {
    const like = shapes.find(
      ({ members, sample }) => isLike(members, one.members) && wayOf(sample) === wayOf(one.sample),
    );
    if (like === undefined) {
      shapes.push(one);
      continue;
    }
    like.files.push(...one.files);
    like.sample.rows.push(...one.sample.rows);
    for (const name of one.members.all) like.members.all.add(name);
    // What was said of another file of the shape is said.
    const known = like.sample.doubts;
    const news = one.sample.doubts.filter((doubt) => !known.includes(doubt));
    known.push(...news.map((doubt) => `${one.files[0]!.label}: ${doubt}`));
  }
  return shapes;
}

/** How a file is read, as text. */
function wayOf({ read, when }: GuessedFormat): string {
  return JSON.stringify([read, when]);
}

/** As many files as are looked at, evenly from all: neighbours are often of one kind. */
function spread(files: readonly FoundFile[]): readonly FoundFile[] {
  const step = Math.max(1, files.length / MAX_FILES);
  return files.filter((_, i) => i === 0 || Math.floor(i / step) > Math.floor((i - 1) / step));
}

/** Says which files no source reads. */
function unmatched(
  samples: readonly { readonly files: readonly string[] }[],
  files: readonly FoundFile[],
): string {
  const matches = compileGlobs(samples.flatMap((sample) => sample.files));
  const rest = files.filter(({ name, fullName }) => !matches(name) && !matches(fullName));
  if (rest.length === 0) return "";
  const names = rest.slice(0, NAMED_FILES).map(({ label }) => label);
  const more = rest.length > NAMED_FILES ? ", …" : "";
  return `; no source reads ${counted(rest.length, "file")} (${names.join(", ")}${more}): to guess such a file, name it alone`;
}

/** Files that a doubt names. */
const NAMED_FILES = 5;

async function sampleFile(
  path: string,
  file: FoundFile,
  rowsOfEach: number,
  signal: AbortSignal | undefined,
): Promise<Shape> {
  const doubts: string[] = [];
  const name = basename(file.name);
  const head = /\.(parquet|pq)$/i.test(name) ? "" : await headOf(file);
  const format = guessFormat(name, head, doubts);
  const rows: unknown[] = [];
  let unread = 0;
  let first: Reject | undefined;
  const source = { name: "rows", files: [nameAsGlob(file.name)], read: format.read };
  const batches = readFound(
    { files: [file], notReadable: [] },
    {
      sources: [source],
      signal,
      rowsOfEach,
      onReject: (reject) => {
        unread += 1;
        first ??= reject;
      },
    },
  );
  const isTaken = compileConditions(format.when === undefined ? [] : [format.when], ["when"]);
  for await (const batch of batches) {
    for (const { value } of batch) if (isTaken(value, undefined)) rows.push(value);
  }
  if (rows.length === 0) throw nothing(path, `${name} has no row`);
  if (first !== undefined) doubts.push(unreadRows(unread, rows.length, first));
  return { ...format, rows, doubts };
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

/** Names of the members that most rows have, and of all. */
interface Members {
  readonly most: ReadonlySet<string>;
  readonly all: Set<string>;
}

function membersOf(rows: readonly unknown[]): Members {
  const counts = new Map<string, number>();
  for (const row of rows) {
    if (row === null || typeof row !== "object") continue;
    for (const name of Object.keys(row)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const most = [...counts].flatMap(([name, count]) => (count * 2 >= rows.length ? [name] : []));
  return { most: new Set(most), all: new Set(counts.keys()) };
}

function isLike(a: Members, b: Members): boolean {
  const shared = [...a.most].filter((name) => b.most.has(name)).length;
  if (a.most.size + b.most.size === 0 || shared * 2 > Math.max(a.most.size, b.most.size)) return true;
  return isPlainer(a, b, shared) || isPlainer(b, a, shared);
}

/** Fewest members of rows that may be those of another shape without what is optional there, and the share that most of those have. */
const MIN_PLAINER = 4;
const MOSTLY = 0.75;

/** Whether rows are those of another shape that have less: a chat's day on which people only joined. */
function isPlainer({ most }: Members, { all }: Members, shared: number): boolean {
  return most.size >= MIN_PLAINER && shared >= most.size * MOSTLY && [...most].every((name) => all.has(name));
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
