import { DuckDBInstance } from "@duckdb/node-api";

/** Bounds of a text, in characters. */
const SHORTEST = 12;
const SHORTEST_DENSE = 6;
const LONGEST = 4000;
/** Share of letters and marks that a text has at least. */
const LETTERS = 0.6;
/** Of a column's values, the share that are texts and the share that differ, at least. */
const TEXTS = 0.5;
const DISTINCT = 0.2;
const SPACED_WORDS = 3;
const LETTER = /[\p{L}\p{M}]/gu;
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const CODE = /[{}<>;=\\]|https?:\/\/\S+$|^[\w./-]+$/;

/**
 * Whether a value reads as text that people wrote: letters, several words, no markup and no code.
 * @param {string} value
 */
export function isText(value) {
  const { length } = value;
  if (length < SHORTEST_DENSE || length > LONGEST || CODE.test(value)) return false;
  if ((value.match(LETTER)?.length ?? 0) < LETTERS * length) return false;
  if (DENSE.test(value)) return true;
  return length >= SHORTEST && value.split(/\s+/u).length >= SPACED_WORDS;
}

/** @param {unknown} value @param {string} path @param {Map<string, string[]>} columns */
function walk(value, path, columns) {
  if (typeof value === "string") {
    const column = columns.get(path);
    if (column === undefined) columns.set(path, [value]);
    else column.push(value);
  } else if (Array.isArray(value)) for (const item of value) walk(item, `${path}[]`, columns);
  else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value))
      walk(item, `${path}.${/^\d+$/.test(key) ? "#" : key}`, columns);
}

/** @param {string} json a document, or one a line */
function columnsOfJson(json) {
  /** @type {Map<string, string[]>} */
  const columns = new Map();
  try {
    walk(JSON.parse(json), "", columns);
  } catch {
    for (const line of json.split("\n")) {
      const row = line.trim().replace(/,$/, "");
      if (!row.startsWith("{")) continue;
      try {
        walk(JSON.parse(row), "", columns);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    }
  }
  return columns;
}

/** @param {string} file */
async function columnsOfTable(file) {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: "1GB" });
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(
      "SELECT * FROM read_csv(?, all_varchar = true, ignore_errors = true, null_padding = true, strict_mode = false, parallel = false, max_line_size = 4000000)",
      [file],
    );
    const names = reader.columnNames();
    return new Map(
      reader
        .getColumns()
        .map((column, i) => [`${names[i]}`, column.filter((value) => typeof value === "string")]),
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** How the bytes of each kind of file become columns of strings. */
const READERS = {
  csv: (_, file) => columnsOfTable(file),
  tsv: (_, file) => columnsOfTable(file),
  json: (text) => columnsOfJson(text()),
  jsonl: (text) => columnsOfJson(text()),
  txt: (text) => new Map([["lines", text().split("\n")]]),
  conllu: (text) => new Map([["text", Array.from(text().matchAll(/^# text = (.*)$/gm), ([, line]) => line)]]),
  xml: (text) => new Map([["nodes", Array.from(text().matchAll(/>([^<>]+)</g), ([, node]) => node)]]),
};

/** Endings of the files whose texts are read. */
export const KINDS = /** @type {const} */ (["csv", "tsv", "json", "jsonl", "txt", "conllu", "xml"]);

/**
 * The texts of a file: those of each column of strings of which at least half are texts and a fifth differ, each once.
 * @param {(typeof KINDS)[number]} kind
 * @param {string} file where the bytes stand
 * @param {() => string} text the bytes as UTF-8
 * @returns {Promise<string[]>}
 */
export async function textsOfFile(kind, file, text) {
  const found = new Set();
  for (const values of (await READERS[kind](text, file)).values()) {
    const filled = values.map((value) => value.trim().replace(/\s+/gu, " ")).filter((value) => value !== "");
    const distinct = [...new Set(filled)];
    const texts = distinct.filter(isText);
    if (distinct.length < DISTINCT * filled.length || texts.length < TEXTS * distinct.length) continue;
    for (const value of texts) found.add(value);
  }
  return [...found];
}
