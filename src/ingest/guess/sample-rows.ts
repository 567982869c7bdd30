import { open } from "node:fs/promises";
import { basename } from "node:path";
import { createGunzip } from "node:zlib";
import { IngestError } from "../../contract/errors.js";
import type { ReadOptions } from "../adapters/source-spec.js";
import { readSource } from "../readers/read-source.js";
import { formatByName } from "../readers/sniff.js";

/** Rows that a guess looks at. */
const SAMPLE_ROWS = 500;
/** Bytes of a document's start that are searched for its rows. */
const HEAD_BYTES = 4 * 2 ** 20;
/** Depth to which a document is searched for its rows. */
const MAX_DEPTH = 4;

/** First rows of a file, and how they are read. */
export interface Sample {
  readonly rows: readonly unknown[];
  /** As `read` of a source; undefined where the file's name says it all. */
  readonly read: ReadOptions | undefined;
  /** Glob of files like this one. */
  readonly files: string;
  /** What is not sure about the format. */
  readonly doubts: readonly string[];
}

/**
 * Reads the first rows of one file: plain or gzip-compressed JSON lines, JSON, CSV, TSV or Parquet. The delimiter of a table and the
 * place of a document's rows are found out.
 * @throws IngestError for a file that cannot be read in any of these formats
 */
export async function sampleRows(path: string, signal?: AbortSignal): Promise<Sample> {
  const name = basename(path).replace(/\.gz$/i, "");
  const doubts: string[] = [];
  const head = /\.(parquet|pq)$/i.test(name) ? "" : await headOf(path);
  const read = readOptionsOf(name, head, doubts);
  const rows: unknown[] = [];
  const source = { name: "rows", files: ["*"], read };
  for await (const batch of readSource([path], { sources: [source], signal, onReject: () => {} })) {
    rows.push(...batch.map(({ value }) => value));
    if (rows.length >= SAMPLE_ROWS) break;
  }
  if (rows.length === 0) {
    throw new IngestError("nothing_to_guess", `${name} has no row`, {
      value: path,
      remedy: "name a file with some rows",
    });
  }
  const extension = /\.[A-Za-z0-9]+$/.exec(name)?.[0] ?? "";
  return { rows: rows.slice(0, SAMPLE_ROWS), read, files: extension === "" ? name : `*${extension}`, doubts };
}

async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const stream = file.createReadStream({ autoClose: false });
    const bytes = /\.gz$/i.test(path) ? stream.pipe(createGunzip()) : stream;
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of bytes) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size >= HEAD_BYTES) break;
    }
    return Buffer.concat(chunks)
      .toString("utf8")
      .replace(/^\ufeff/, "");
  } finally {
    await file.close();
  }
}

function readOptionsOf(name: string, head: string, doubts: string[]): ReadOptions | undefined {
  const format = formatByName(name);
  const start = head.trimStart();
  if (format === "json" || (format === undefined && start.startsWith("["))) {
    if (/^\{.*\}\s*\n\s*\{/.test(start)) return { as: "jsonl" };
    const rows = placeOfRows(start);
    if (rows === undefined && start.startsWith("{"))
      doubts.push("no list of rows was found: the document is one row");
    return rows === undefined ? named(format, "json") : { as: "json", rows };
  }
  if (format === "jsonl" || (format === undefined && start.startsWith("{"))) return named(format, "jsonl");
  if (format === "parquet") return undefined;
  const line = start.split(/\r?\n/, 1)[0] ?? "";
  const counts = [",", ";", "\t", "|"].map((mark) => [mark, line.split(mark).length] as const);
  const [delimiter, columns] = counts.reduce((best, next) => (next[1] > best[1] ? next : best));
  if (columns === 1) doubts.push("the table has one column: is its delimiter another?");
  const usual = /\.(tsv|tab)$/i.test(name) ? "\t" : ",";
  return format === "csv" && delimiter === usual ? undefined : { as: "csv", delimiter };
}

function named(format: string | undefined, as: "json" | "jsonl"): ReadOptions | undefined {
  return format === as ? undefined : { as };
}

/** Dotted path of the longest list of objects in a document; undefined for the document itself. */
function placeOfRows(text: string): string | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined; // longer than the head: its top level is read
  }
  let best: { path: string; length: number } | undefined;
  const walk = (value: unknown, path: string[], depth: number): void => {
    if (Array.isArray(value)) {
      const objects = value.filter((item) => item !== null && typeof item === "object").length;
      if (objects > (best?.length ?? 0)) best = { path: path.join("."), length: objects };
    } else if (value !== null && typeof value === "object" && depth < MAX_DEPTH) {
      for (const [key, member] of Object.entries(value)) walk(member, [...path, key], depth + 1);
    }
  };
  walk(document, [], 0);
  return best === undefined || best.path === "" ? undefined : best.path;
}
