import { createReadStream } from "node:fs";
import { PassThrough, pipeline } from "node:stream";
import { TextDecoder } from "node:util";
import { createGunzip } from "node:zlib";
import { SQL_DEFAULTS } from "../defaults.js";

/** How a CSV file begins. */
export interface CsvHead {
  /** Lines before the one that names the columns. */
  readonly skip: number;
  readonly delimiter: string;
  /** Cells of the line that names the columns. */
  readonly cells: number;
}

/** What may separate cells; of those that occur equally often the first. */
const DELIMITERS = [",", ";", "\t", "|"] as const;

/**
 * Reads how a CSV file begins. Empty lines at the top are skipped, and remarks: lines that begin with `#` and have not as many cells as the
 * first other one. What separates the cells is what occurs most often in that line, outside of quotes.
 * @param delimiter what separates cells, where it is known
 */
export async function csvHead(path: string, delimiter?: string): Promise<CsvHead> {
  const text = await beginningOf(path);
  const lines = [...text.matchAll(/([^\r\n]*)(?:\r\n|\n|\r|$)/g)];
  const isEmpty = (at: number) => lines[at]![1] === "";
  const isRemark = (at: number) => lines[at]![1]!.startsWith("#");
  const all = lines.map((_, at) => at);
  const first = all.find((at) => !isEmpty(at) && !isRemark(at)) ?? 0;
  const line = firstRecord(text.slice(lines[first]!.index));
  const separator = delimiter ?? mostFrequent(line);
  const cells = countOf(line, separator) + 1;
  const named = all
    .slice(0, first)
    .find((at) => isRemark(at) && countOf(lines[at]![1]!, separator) + 1 === cells);
  return { skip: named ?? first, delimiter: separator, cells };
}

async function beginningOf(path: string): Promise<string> {
  const file = createReadStream(path, { highWaterMark: SQL_DEFAULTS.csvHeadBytes });
  const bytes = pipeline(file, /\.gz$/i.test(path) ? createGunzip() : new PassThrough(), () => {}); // failures end the loop
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= SQL_DEFAULTS.csvHeadBytes) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** The first line; a line end within quotes does not end it. */
function firstRecord(text: string): string {
  return /^(?:"(?:[^"]|"")*(?:"|$)|[^"\r\n])*/.exec(text)![0];
}

function mostFrequent(line: string): string {
  return DELIMITERS.reduce((best, next) => (countOf(line, next) > countOf(line, best) ? next : best));
}

/** How often a character occurs outside of quotes. */
function countOf(line: string, character: string): number {
  return line.replace(/"(?:[^"]|"")*(?:"|$)/g, "").split(character).length - 1;
}
