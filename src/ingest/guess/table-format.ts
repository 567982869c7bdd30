import type { ReadOptions } from "../adapters/source-spec.js";
import { CsvParser, type CsvRecord } from "../readers/csv-parser.js";
import { foreignText } from "../readers/foreign-text.js";
import type { GuessedFormat } from "./guess-format.js";
import { areSubtitles, SPOKEN_LINES } from "./subtitles.js";
import { type Header, headerOf } from "./table-header.js";

/** Characters of a table's start by which ways to read it are compared. */
const EVEN_CHARS = 262_144;
/** Share of a text's lines that have as many cells for it to be a table, where its name does not say so. */
const EVEN = 0.9;
/** Delimiters of several characters. */
const LONG_MARKS: readonly string[] = ["::", "||", ";;", "|~|", "~|~", "^|^", "~~"];
/** Share of the rows with as many cells under which a mark is doubted. */
const UNEVEN = 0.5;
const LINES: GuessedFormat = { read: { as: "lines" }, when: { path: "$", present: true } };

/**
 * How a text is read: as a table with its delimiter, its quotes, and the names of its columns where it has no header; as lines, where neither
 * its name nor its content says that it is a table.
 * @param isNamed whether its name says that it is a table
 * @param doubts takes what is not sure
 */
export function tableFormat(name: string, start: string, isNamed: boolean, doubts: string[]): GuessedFormat {
  if (!isNamed && areSubtitles(start)) {
    doubts.push(
      "lines: they are subtitles: each line that is said is a row; the times and numbers of the cues, and lines of digits alone, are left out",
    );
    return { read: LINES.read, when: SPOKEN_LINES };
  }
  const line = start.split(/\r?\n/, 1)[0]!;
  const counts = [",", ";", "\t", "|"].map((mark) => [mark, line.split(mark).length] as const);
  const [likeliest, columns] = likeliestOf(start, line, counts);
  const usual = /\.(tsv|tab)$/i.test(name) ? "\t" : ",";
  // A text in apostrophes may hold any mark: what stands before the first of them is the delimiter.
  const quoted = /([,;\t|])'(?!')[^\n]*'(?=\r?\n|\1)/.exec(start);
  const apostrophes =
    quoted !== null &&
    !new RegExp(`[${quoted[1]}]"`).test(line) &&
    (!(start.includes('\n"') || start.includes(`${likeliest}"`)) ||
      Math.max(evenRows(start, likeliest, '"'), evenRows(start, likeliest, undefined)) <
        evenRows(start, quoted[1]!, "'"));
  const delimiter = apostrophes ? quoted[1]! : likeliest;
  const quote = apostrophes ? "'" : quoteOf(start, delimiter);
  const records = recordsOf(start, delimiter, quote === null ? undefined : (quote ?? '"'));
  const isForeign = foreignText(start) !== undefined; // what is not read as a table, with what to do about it
  if (!isNamed && !isForeign && (columns === 1 || shareOf(even(records), records) < EVEN)) {
    doubts.push(
      "lines: each line is a row, as no delimiter makes a table of them; name the format in `read` if it is one",
    );
    return LINES;
  }
  if (columns === 1) doubts.push("the table has one column: is its delimiter another?");
  const header = headerOf(records, doubts);
  const read: ReadOptions = { as: "csv", delimiter, quote, columns: header.columns };
  const isPlain = quote === undefined && header.columns === undefined;
  return { read: isNamed && delimiter === usual && isPlain ? undefined : read, when: whenOf(header) };
}

function whenOf({ columns, line }: Header): GuessedFormat["when"] {
  return line === undefined ? undefined : { path: columns![line.column]!, is_not: line.text };
}

/**
 * The mark that the first line has most of; where it makes no table of the others, one that does. Before it goes one of several characters
 * that makes a table of all lines, and has as many cells or all of that mark in it.
 */
function likeliestOf(
  start: string,
  line: string,
  counts: readonly (readonly [string, number])[],
): readonly [string, number] {
  const first = most(counts);
  for (const mark of LONG_MARKS) {
    const cells = line.split(mark);
    if (cells.length === 1 || evenShare(start, mark) < EVEN) continue;
    const holdsAll = mark.includes(first[0]) && !cells.some((cell) => cell.includes(first[0]));
    if (holdsAll || cells.length >= first[1] || evenShare(start, first[0]) < EVEN)
      return [mark, cells.length];
  }
  if (first[1] === 1 || evenShare(start, first[0]) >= UNEVEN) return first;
  return counts.find(([mark, count]) => count > 1 && evenShare(start, mark) >= EVEN) ?? first;
}

/** Share of the rows that have as many cells as the first, quotes being read or not. */
function evenShare(start: string, delimiter: string): number {
  const shares = ['"', undefined].map((quote) => {
    const records = recordsOf(start, delimiter, quote);
    return shareOf(even(records), records);
  });
  return Math.max(...shares);
}

function most(counts: readonly (readonly [string, number])[]): readonly [string, number] {
  return counts.reduce((best, next) => (next[1] > best[1] ? next : best));
}

/**
 * Null where quotes are characters like others: where they never begin a cell, or where that reads more rows than there are cells
 * in whole quotes. One that begins a text and does not end it swallows the lines up to the next.
 */
function quoteOf(start: string, delimiter: string): null | undefined {
  if (!start.includes('"')) return undefined;
  const begins = start.startsWith('"') || start.includes(`${delimiter}"`) || start.includes('\n"');
  if (!begins) return null;
  const plain = recordsOf(start, delimiter, undefined);
  const gained = even(plain) - even(recordsOf(start, delimiter, '"'));
  if (gained <= 0) return undefined;
  const cells = plain.flatMap(({ fields }) => fields.filter((field) => /^"(?:[^"]|"")*"$/.test(field)));
  return gained > cells.length ? null : undefined;
}

/** Records of a table that have as many cells as the first one, which has several; 0 where it cannot be read so. */
function evenRows(start: string, delimiter: string, quote: string | undefined): number {
  const records = recordsOf(start, delimiter, quote);
  return (records[0]?.fields.length ?? 0) < 2 ? 0 : even(records);
}

/** Records of as many cells as the first one. */
function even(records: readonly CsvRecord[]): number {
  const first = records[0]?.fields.length ?? 0;
  return records.filter(({ fields, problem }) => problem === undefined && fields.length === first).length;
}

function shareOf(count: number, records: readonly CsvRecord[]): number {
  return count / Math.max(1, records.length);
}

/** The records of a table's start, without one that it may cut. */
function recordsOf(start: string, delimiter: string, quote: string | undefined): readonly CsvRecord[] {
  const parser = new CsvParser(delimiter, quote);
  const text = start.length > EVEN_CHARS ? start.slice(0, EVEN_CHARS) : start;
  const end = text === start ? text.length : text.lastIndexOf("\n") + 1;
  const records = parser.push(Buffer.from(text.slice(0, end)));
  return text === start ? [...records, ...parser.end()] : records;
}
