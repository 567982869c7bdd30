import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SqlValue } from "../duckdb/database.js";
import { BUILD_DEFAULTS } from "../duckdb/defaults.js";
import { quoteName, quoteText } from "../duckdb/quote-sql.js";
import { type Column, columnsSql, type TableRow } from "../slice/column.js";
import { STAGING_DEFAULTS } from "./defaults.js";
import { textBytes } from "./long-texts.js";
import type { Staging } from "./staging.js";

/** Rows that the engine hands from one operator to the next, at most. */
const VECTOR_ROWS = 2048;

/** Times that the engine holds a text of any length while it writes it. */
const COPIES_OF_TEXT = 12;

/** Rows of a sorted table that become a Parquet file. */
export interface CopiedRows {
  readonly table: "sorted_records" | "sorted_raw";
  /** Number of the part. */
  readonly part: number;
  readonly facts: RowFacts;
  /** Columns of the file; those that the table does not have are NULL. */
  readonly columns: readonly CopiedColumn[];
}

/** A column of {@link CopiedRows}. */
export interface CopiedColumn extends Pick<Column<never>, "name" | "type"> {
  /** Whether the table has it. */
  readonly staged: boolean;
}

/** What is known of a part's rows in a sorted table before they are copied. */
export interface RowFacts {
  readonly rows: number;
  /** Bytes of the staged values. */
  readonly bytes: number;
  /** Rows with long texts. */
  readonly long: number;
  /** Those of them whose long texts are beside the table. */
  readonly beside: number;
  /** Place of the first row in the table. */
  readonly first: number;
}

/** Facts of each part's rows in a sorted table, by the part's number; a part without rows has none. @throws DatabaseError */
export async function rowFacts(
  { db }: Staging,
  table: CopiedRows["table"],
): Promise<ReadonlyMap<number, RowFacts>> {
  const found = await db.rows<{ part: number } & Record<keyof RowFacts, number>>(
    `SELECT part, count(*) AS rows, sum(bytes)::BIGINT AS bytes, count(long_texts) AS long,
      count(nullif(long_texts, '')) AS beside, min(rowid) AS first
    FROM ${table} GROUP BY part`,
  );
  return new Map(found.map(({ part, ...facts }) => [part, facts]));
}

/**
 * Writes a part's rows to a new Parquet file, with row groups that fit into memory. Its bytes depend on these rows alone: not on
 * other parts, nor on how the table was sorted.
 * @param most rows of a row group
 * @throws DatabaseError; the signal's reason when aborted
 */
export async function copyRows(
  staging: Staging,
  rows: CopiedRows,
  path: string,
  signal: AbortSignal | undefined,
  most: number = BUILD_DEFAULTS.rowGroupRows,
): Promise<void> {
  const { db } = staging;
  const { table, part, columns, facts } = rows;
  if (facts.long > 0) {
    const room = STAGING_DEFAULTS.groupBytes - facts.bytes;
    const few = facts.rows <= BUILD_DEFAULTS.rowGroupRows && room >= 0;
    if (few && facts.beside > 0 && (await copyFewRows(staging, rows, room, path, signal))) return;
    if (!few || facts.beside > 0) return copyLongRows(staging, rows, path, signal);
  }
  // Few rows with long texts are one row group, wherever these were staged.
  const groupRows =
    facts.long > 0 ? BUILD_DEFAULTS.rowGroupRows : Math.min(most, rowsOfGroup(facts.rows, facts.bytes));
  const names = columns.map(({ name, type, staged }) =>
    staged ? quoteName(name) : `NULL::${type} AS ${quoteName(name)}`,
  );
  const copy = (select: string, params: SqlValue[]) =>
    db.run(
      `COPY (${select}) TO ${quoteText(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${groupRows})`,
      params,
      signal,
    );
  const select = `SELECT ${names.join(", ")} FROM ${table} WHERE part = ?`;
  if (facts.rows <= groupRows || facts.first % VECTOR_ROWS === 0) return copy(select, [part]);
  // A row group ends with a vector of rows, and the rows of the part before end in the middle of one.
  await db.run(`CREATE TABLE packed AS ${select}`, [part], signal);
  await copy("FROM packed", []);
  await db.run("DROP TABLE packed");
}

/** Rows of a row group, whole vectors of them. */
function rowsOfGroup(rows: number, bytes: number): number {
  const fitting = (STAGING_DEFAULTS.groupBytes * rows) / Math.max(bytes, 1);
  const vectors = Math.max(1, Math.floor(fitting / VECTOR_ROWS));
  return vectors * VECTOR_ROWS;
}

/**
 * Writes rows of which some have long texts as one row group: the long values go back into a table beside the rows', so that only
 * they are read and written one by one.
 *
 * @param room bytes that the long values may have
 * @returns false if they have more; nothing is written then
 */
async function copyFewRows(
  staging: Staging,
  { table, part, columns }: CopiedRows,
  room: number,
  path: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { db } = staging;
  const values: TableRow[] = [];
  const long = new Set<string>();
  let bytes = 0;
  const select = `SELECT rowid AS place, long_texts FROM ${table} WHERE part = ? AND long_texts <> '' ORDER BY place`;
  for (const row of await db.rows(select, [part])) {
    const { place, long_texts: _, ...whole } = staging.whole(row);
    for (const [name, value] of Object.entries(whole)) {
      long.add(name);
      bytes += textBytes(value as SqlValue);
    }
    if (bytes > room) return false;
    values.push({ place, ...whole });
  }
  const restored = columns.filter(({ name }) => long.has(name));
  await db.run(`CREATE TEMP TABLE long_values (place BIGINT, ${columnsSql(restored)})`);
  for (let first = 0; first < values.length; first += BUILD_DEFAULTS.appendRows) {
    const some = values.slice(first, first + BUILD_DEFAULTS.appendRows);
    await db.append(
      "long_values",
      some.map((value) => [value.place, ...restored.map(({ name }) => value[name] ?? null)] as SqlValue[]),
    );
  }
  const names = columns.map(({ name, type, staged }) => {
    const quoted = quoteName(name);
    if (!staged) return `NULL::${type} AS ${quoted}`;
    return long.has(name) ? `coalesce(l.${quoted}, t.${quoted}) AS ${quoted}` : `t.${quoted}`;
  });
  await db.run(
    `COPY (SELECT ${names.join(", ")} FROM ${table} t LEFT JOIN long_values l ON t.rowid = l.place WHERE t.part = ? ORDER BY t.rowid)
    TO ${quoteText(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${BUILD_DEFAULTS.rowGroupRows})`,
    [part],
    signal,
  );
  await db.run("DROP TABLE long_values");
  return true;
}

/**
 * Writes rows with long texts, by way of small files: the engine reads a vector of rows as a whole, but none across two files, and
 * ends a row group after any vector.
 */
async function copyLongRows(
  staging: Staging,
  { table, part, columns, facts: { rows, bytes: staged, first } }: CopiedRows,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { db } = staging;
  const pieces = `${path}.pieces`;
  await mkdir(pieces);
  const needed = staging.longestTexts * COPIES_OF_TEXT;
  await db.set({ memoryLimit: `${BUILD_DEFAULTS.sortMemory + needed}B` });
  const files: string[] = [];
  let waiting: SqlValue[][] = [];
  let bytes = 0;
  const flush = async () => {
    const file = join(pieces, `${files.length}.parquet`);
    await db.run(`CREATE TEMP TABLE piece (${columnsSql(columns)})`);
    await db.append("piece", waiting);
    await db.run(`COPY piece TO ${quoteText(file)} (FORMAT parquet, COMPRESSION uncompressed)`, [], signal);
    // The long texts of a table that is emptied stay in memory.
    await db.run("DROP TABLE piece");
    files.push(file);
    [waiting, bytes] = [[], 0];
  };
  const names = columns.filter(({ staged }) => staged).map(({ name }) => quoteName(name));
  const sql = `SELECT ${names.join(", ")}, long_texts FROM ${table} WHERE part = ? AND rowid >= ? AND rowid < ?`;
  // By queries, not a stream: while one is open, the engine keeps what is dropped.
  const step = Math.min(VECTOR_ROWS, Math.ceil((STAGING_DEFAULTS.appendBytes * rows) / Math.max(staged, 1)));
  for (let from = first; from < first + rows; from += step) {
    signal?.throwIfAborted();
    for (const row of await db.rows(sql, [part, from, from + step])) {
      const whole = staging.whole(row);
      const cells = columns.map(({ name }) => (whole[name] ?? null) as SqlValue);
      for (const cell of cells) bytes += textBytes(cell);
      waiting.push(cells);
      if (waiting.length === VECTOR_ROWS || bytes >= STAGING_DEFAULTS.appendBytes) await flush();
    }
  }
  if (waiting.length > 0) await flush();
  const format = `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${BUILD_DEFAULTS.rowGroupRows}, ROW_GROUP_SIZE_BYTES ${STAGING_DEFAULTS.groupBytes}`;
  // The engine bounds the bytes of a row group only where it need not keep the order of rows; its one thread keeps it.
  await db.set({ ordered: false });
  await db.run(
    `COPY (FROM read_parquet([${files.map(quoteText).join(", ")}])) TO ${quoteText(path)} (${format})`,
    [],
    signal,
  );
  await db.set({ ordered: true, memoryLimit: `${BUILD_DEFAULTS.sortMemory}B` });
  await rm(pieces, { recursive: true });
}
