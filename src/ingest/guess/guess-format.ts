import type { ReadOptions } from "../adapters/source-spec.js";
import { CsvParser } from "../readers/csv-parser.js";
import { formatByName } from "../readers/sniff.js";

/** Characters of a table's start by which two ways to read it are compared. */
const EVEN_CHARS = 65_536;
/** Depth to which a document is searched for its rows. */
const MAX_DEPTH = 4;

/**
 * How a file is read, by its name and its start: as `read` of a source; undefined where the name says it all.
 * @param doubts takes what is not sure
 */
export function readOptionsOf(name: string, head: string, doubts: string[]): ReadOptions | undefined {
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
  return tableOptionsOf(name, start, format === "csv", doubts);
}

/** How a table of text is read: its delimiter, its quotes, and the names of its columns where it has no header. */
function tableOptionsOf(
  name: string,
  start: string,
  isNamed: boolean,
  doubts: string[],
): ReadOptions | undefined {
  const [line = "", next = ""] = start.split(/\r?\n/, 2);
  const counts = [",", ";", "\t", "|"].map((mark) => [mark, line.split(mark).length] as const);
  const [likeliest, columns] = most(counts);
  const usual = /\.(tsv|tab)$/i.test(name) ? "\t" : ",";
  // A text in apostrophes may hold any mark: what stands before the first of them is the delimiter.
  const quoted = /([,;\t|])'(?!')[^\n]*'(?=\r?\n|\1)/.exec(start);
  const apostrophes =
    quoted !== null &&
    !new RegExp(`[${quoted[1]}]"`).test(line) &&
    (!(start.includes('\n"') || start.includes(`${likeliest}"`)) ||
      evenness(start, likeliest, '"') < evenness(start, quoted[1]!, "'"));
  const delimiter = apostrophes ? quoted[1]! : likeliest;
  if (columns === 1) doubts.push("the table has one column: is its delimiter another?");
  // Quotes that never begin a cell are characters like others.
  const begins = start.startsWith('"') || start.includes(`${delimiter}"`) || start.includes('\n"');
  const quote = apostrophes ? "'" : start.includes('"') && !begins ? null : undefined;
  const cellsOf = (text: string) =>
    quote === null ? text.split(delimiter) : splitLine(text, delimiter, quote ?? '"');
  const cells = cellsOf(line);
  const bare = !isHeader(cells, cellsOf(next));
  if (bare)
    doubts.push("columns: the first line does not look like a header; name them, or take `columns` out");
  if (isNamed && delimiter === usual && quote === undefined && !bare) return undefined;
  return {
    as: "csv",
    delimiter,
    quote,
    ...(bare ? { columns: cells.map((_, i) => `column_${i + 1}`) } : {}),
  };
}

function most(counts: readonly (readonly [string, number])[]): readonly [string, number] {
  return counts.reduce((best, next) => (next[1] > best[1] ? next : best));
}

/** Share of the first records of a table that have as many cells as the first one, which has several; 0 where it cannot be read so. */
function evenness(start: string, delimiter: string, quote: string): number {
  const parser = new CsvParser(delimiter, quote);
  const whole = start.slice(0, EVEN_CHARS);
  const records = parser.push(Buffer.from(whole.slice(0, whole.lastIndexOf("\n") + 1)));
  const first = records[0]?.fields.length ?? 0;
  const even = records.filter(({ fields, problem }) => problem === undefined && fields.length === first);
  return first < 2 ? 0 : even.length / records.length;
}

function splitLine(line: string, delimiter: string, quote: string): string[] {
  const parser = new CsvParser(delimiter, quote);
  const [record] = [...parser.push(Buffer.from(`${line}\n`)), ...parser.end()];
  return [...(record?.fields ?? [])];
}

const NUMBER = /^[-+]?\d+(?:\.\d+)?$/;
/** Longest name of a column, in characters; and longest one where most of what is below the names are numbers. */
const MAX_NAME = 60;
const MAX_NAME_OF_NUMBERS = 200;

/** Whether cells are names of columns: no numbers, nothing twice, nothing long, nothing of JSON. */
function isHeader(cells: readonly string[], next: readonly string[]): boolean {
  if (cells.length < 2) return true;
  const filled = cells.filter((cell) => cell !== "");
  if (new Set(filled).size < filled.length) return false;
  const numbers = next.filter((cell) => NUMBER.test(cell.trim())).length;
  const longest = numbers * 2 > next.length ? MAX_NAME_OF_NUMBERS : MAX_NAME;
  return filled.every(
    (cell) => cell.length <= longest && !NUMBER.test(cell.trim()) && !/[{}[\]。！？]/.test(cell.trim()),
  );
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
