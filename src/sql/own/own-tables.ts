import { realpath, stat } from "node:fs/promises";
import { SqlError } from "../../contract/errors.js";
import { nearestName } from "../../contract/nearest-name.js";
import { shown } from "../../contract/shown-value.js";
import type { ArrowTable } from "../../duckdb/arrow.js";
import type { Cells } from "../../duckdb/cells.js";
import { foldName } from "../../duckdb/fold-name.js";
import { nextTurn } from "../../next-turn.js";
import { SQL_DEFAULTS } from "../defaults.js";
import { unreadable } from "./file-failure.js";
import { type CellColumn, rowCells } from "./row-cells.js";

/** Formats of files that can be tables; an array or lines of JSON are `json`. */
export const TABLE_FORMATS = ["csv", "tsv", "json", "parquet", "arrow"] as const;
/** One of {@link TABLE_FORMATS}. */
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** A file as a table. */
export interface TableFile {
  /** Path of the file. A query reads no other one. */
  readonly file: string;
  /** Its format; by default as its name ends: csv, tsv, tab, json, jsonl, ndjson, parquet, arrow, feather, ipc; text formats may end in .gz. */
  readonly format?: TableFormat;
  /**
   * Columns of CSV to take as text (ids with leading zeros or of more than 18 digits), or `true` for all of them; by default types are
   * found in the file.
   */
  readonly text?: readonly string[] | true;
}

/** A table of the caller's own: rows, an Arrow table, or a file. */
export type OwnTable = Iterable<Readonly<Record<string, unknown>>> | ArrowTable | TableFile;

/** Tables of the caller's own, by the name that a query has for them. */
export type OwnTables = Readonly<Record<string, OwnTable>>;

/** A table of the caller's own as an engine takes it: plain values that pass between processes. */
export type PlannedTable = { readonly name: string } & (
  | { readonly kind: "rows"; readonly columns: readonly CellColumn[] }
  | {
      readonly kind: "file";
      readonly path: string;
      readonly format: TableFormat;
      readonly text: readonly string[] | true;
    }
);

/** Tables of the caller's own, ready for an engine. */
export interface PreparedTables {
  readonly tables: readonly PlannedTable[];
  /** The rows of the tables of kind `rows`, in batches; can be read once. */
  readonly rows: () => AsyncGenerator<{ readonly table: string; readonly rows: Cells }, void, void>;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
const ENDS: readonly (readonly [RegExp, TableFormat])[] = [
  [/\.csv(?:\.gz)?$/i, "csv"],
  [/\.(?:tsv|tab)(?:\.gz)?$/i, "tsv"],
  [/\.(?:jsonl|ndjson|json)(?:\.gz)?$/i, "json"],
  [/\.parquet$/i, "parquet"],
  [/\.(?:arrow|feather|ipc)$/i, "arrow"],
];

/**
 * Prepares tables of a caller: checks their names, finds their files, finds the types of their rows.
 * @param taken names that they cannot have, as {@link foldName} makes them
 * @throws SqlError `table_invalid` for a name, a format or rows that cannot be a table; `table_unreadable` for a file
 */
export async function prepareTables(own: OwnTables, taken: ReadonlySet<string>): Promise<PreparedTables> {
  const names = new Set(taken);
  const tables: PlannedTable[] = [];
  const sources: { readonly table: string; readonly batches: Iterable<Cells> }[] = [];
  if (Object.keys(own).length > SQL_DEFAULTS.ownTables) {
    const most = `at most ${SQL_DEFAULTS.ownTables} tables`;
    throw invalid(`A query may have ${most} of its own`, Object.keys(own).length, "ask in several queries");
  }
  for (const [name, table] of Object.entries(own)) {
    checkName(name, names);
    names.add(foldName(name));
    if (isTableFile(table)) tables.push({ name, ...(await plannedFile(name, table)) });
    else {
      const { columns, batches } = isArrowTable(table)
        ? (await import("../../duckdb/arrow-cells.js")).tableCells(table)
        : await rowCells(name, rowsOf(name, table));
      tables.push({ name, kind: "rows", columns });
      sources.push({ table: name, batches });
    }
  }
  return {
    tables,
    rows: async function* () {
      for (const { table, batches } of sources) {
        for (const rows of batches) {
          yield { table, rows };
          await nextTurn(); // a million rows take seconds
        }
      }
    },
  };
}

/** No tables. */
export const NO_TABLES: PreparedTables = { tables: [], rows: async function* () {} };

/** The format of a file by its name; undefined for another ending. */
export function formatOfFile(file: string): TableFormat | undefined {
  return ENDS.find(([end]) => end.test(file))?.[1];
}

function checkName(name: string, names: ReadonlySet<string>): void {
  if (!NAME.test(name)) {
    const remedy = "use letters, digits and _, beginning with a letter, at most 63 of them";
    throw invalid(`A table cannot have the name ${JSON.stringify(name)}`, name, remedy);
  }
  if (names.has(foldName(name)))
    throw invalid(`There is a table with the name ${name} already`, name, "give it another name");
}

/** Whether a value is a table of the package `apache-arrow`, of whichever copy of it. */
function isArrowTable(value: unknown): value is ArrowTable {
  if (typeof value !== "object" || value === null) return false;
  const { schema, batches } = value as { schema?: { fields?: unknown }; batches?: unknown };
  return Array.isArray(schema?.fields) && Array.isArray(batches);
}

function isTableFile(table: unknown): table is TableFile {
  return typeof table === "object" && table !== null && "file" in table && !(Symbol.iterator in table);
}

function rowsOf(name: string, table: unknown): Iterable<unknown> {
  if (typeof table === "object" && table !== null && Symbol.iterator in table)
    return table as Iterable<unknown>;
  const remedy = 'give an array of objects, an Arrow table, or { file: "my.csv" }';
  throw invalid(`The table ${name} is ${shown(table)}`, table, remedy);
}

async function plannedFile(name: string, table: TableFile) {
  const { file, format = formatOfFile(String(file)), text = [], ...rest } = table;
  const [stray] = Object.keys(rest);
  if (stray !== undefined) {
    const meant = nearestName(stray, ["file", "format", "text"]);
    const remedy = `a file has file, format and text${meant === undefined ? "" : `; did you mean ${meant}?`}`;
    throw invalid(`The table ${name} has an unknown option ${stray}`, stray, remedy);
  }
  if (typeof file !== "string" || file === "" || file.includes("\0"))
    throw invalid(`The table ${name} has no path of a file`, file, 'write { file: "my.csv" }');
  if (format === undefined || !TABLE_FORMATS.includes(format)) {
    const remedy = `name one of ${TABLE_FORMATS.join(", ")} as its format`;
    throw invalid(`The format of ${file} is not known by its name`, file, remedy);
  }
  if (text !== true && !(Array.isArray(text) && text.every((column) => typeof column === "string")))
    throw invalid(`text of the table ${name} is ${shown(text)}`, text, "name columns, or give true for all");
  const path = await realpath(file).catch((cause: Error) => {
    throw unreadable(file, cause.message, { cause });
  });
  if (!(await stat(path)).isFile()) throw unreadable(file, "it is not a file");
  return { kind: "file", path, format, text } as const;
}

function invalid(message: string, value: unknown, remedy: string): SqlError {
  return new SqlError("table_invalid", message, { value, remedy });
}
