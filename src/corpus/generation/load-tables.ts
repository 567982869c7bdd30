import { join } from "node:path";
import type { SliceManifest } from "../../contract/manifest.js";
import type { Database } from "../duckdb.js";
import { columnNames, columnsSql } from "../slice/column.js";
import { RAW_COLUMNS } from "../slice/raw-columns.js";
import { RECORD_COLUMNS, VECTOR_ROW } from "../slice/record-columns.js";
import { SLICE_FILES } from "../slice/slice-manifest.js";

/** A verified slice and where its files are. */
export interface SourceSlice {
  readonly dir: string;
  readonly manifest: SliceManifest;
}

/** What loading one kind of item did. */
export interface Loaded {
  /** Items that are new in the database. */
  readonly added: number;
  /** Rows whose item a newer one replaced, ascending: they are no longer in the database. */
  readonly replaced: readonly number[];
  /** Items left out because a newer one with their key is there. */
  readonly outdated: number;
}

interface Kind {
  readonly table: "records" | "raw";
  readonly key: readonly string[];
  readonly capturedMs: string;
  readonly columns: string;
  /** Expressions for the columns, read from Parquet. */
  readonly values: string;
}

const RECORDS: Kind = {
  table: "records",
  key: ["id"],
  capturedMs: "prov_ts_ms",
  columns: `${columnNames(RECORD_COLUMNS)}, vector_row`,
  values: `${columnNames(RECORD_COLUMNS)}, vector_row`,
};

const RAW: Kind = {
  table: "raw",
  key: ["platform", "resource", "id"],
  capturedMs: "captured_ms",
  columns: `${columnNames(RAW_COLUMNS)}, words`,
  values: `${columnNames(RAW_COLUMNS)},
    lower(concat_ws(chr(10), data->>'$.text', data->>'$.title', data->>'$.name'))`,
};

/** Makes the tables of an empty generation: `slices`, `records` and `raw`, each row with its number and its slice. */
export async function createTables(db: Database): Promise<void> {
  await db.run("CREATE TABLE slices (slice INTEGER, root VARCHAR)");
  await db.run(
    `CREATE TABLE records ("row" INTEGER, slice INTEGER, ${columnsSql(RECORD_COLUMNS)}, ${VECTOR_ROW.name} ${VECTOR_ROW.type})`,
  );
  await db.run(`CREATE TABLE raw ("row" INTEGER, slice INTEGER, ${columnsSql(RAW_COLUMNS)}, words VARCHAR)`);
}

/**
 * Loads slices into the tables, numbered from `firstSlice`, records and raw items from the given rows, in the order of
 * their keys. Of items with one key the newest capture wins, in a tie the slice with the greater root hash: the outcome
 * does not depend on the order in which slices are installed.
 */
export async function loadSlices(
  db: Database,
  slices: readonly SourceSlice[],
  first: { readonly slice: number; readonly record: number; readonly raw: number },
  signal?: AbortSignal,
): Promise<{ records: Loaded; raw: Loaded }> {
  await db.append(
    "slices",
    slices.map(({ manifest }, i) => [first.slice + i, manifest.mirrorlake.root]),
  );
  return {
    records: await loadKind(db, RECORDS, slices, first.slice, first.record, signal),
    raw: await loadKind(db, RAW, slices, first.slice, first.raw, signal),
  };
}

async function loadKind(
  db: Database,
  kind: Kind,
  slices: readonly SourceSlice[],
  firstSlice: number,
  firstRow: number,
  signal: AbortSignal | undefined,
): Promise<Loaded> {
  const files = slices.flatMap(({ dir, manifest }, i) =>
    manifest.resources.some(({ name }) => name === kind.table)
      ? [{ slice: firstSlice + i, path: join(dir, SLICE_FILES[kind.table].path) }]
      : [],
  );
  if (files.length === 0) return { added: 0, replaced: [], outdated: 0 };
  const key = kind.key.join(", ");
  const paths = files.map(({ path }) => path);
  await db.run("CREATE OR REPLACE TEMP TABLE files (slice INTEGER, path VARCHAR)");
  await db.append(
    "files",
    files.map(({ slice, path }) => [slice, path]),
  );
  await db.run(
    `CREATE OR REPLACE TEMP TABLE winners AS
      SELECT ${key}, slice, root, ${kind.capturedMs} AS ms
      FROM read_parquet(?, filename = true) JOIN files ON path = filename JOIN slices USING (slice)
      QUALIFY row_number() OVER (PARTITION BY ${key} ORDER BY ${kind.capturedMs} DESC, root DESC) = 1`,
    [paths],
    signal,
  );
  await db.run(
    `CREATE OR REPLACE TEMP TABLE known AS
      SELECT "row", ${kind.key.map((name) => `old.${name}`).join(", ")},
        (winners.ms, winners.root) > (old.${kind.capturedMs}, slices.root) AS replaced
      FROM ${kind.table} old JOIN winners USING (${key}) JOIN slices ON slices.slice = old.slice`,
  );
  await db.run(
    `CREATE OR REPLACE TEMP TABLE numbered AS
      SELECT *, (? + row_number() OVER (ORDER BY ${key}) - 1)::INTEGER AS "row"
      FROM winners ANTI JOIN (SELECT * FROM known WHERE NOT replaced) USING (${key})`,
    [firstRow],
  );
  const replaced = await db.rows<{ row: number }>(`SELECT "row" FROM known WHERE replaced ORDER BY "row"`);
  await db.run(`DELETE FROM ${kind.table} WHERE "row" IN (SELECT "row" FROM known WHERE replaced)`);
  await db.run(
    `INSERT INTO ${kind.table} ("row", slice, ${kind.columns})
      SELECT numbered."row", numbered.slice, ${kind.values}
      FROM (SELECT * FROM read_parquet(?, filename = true) JOIN files ON path = filename) items
      JOIN numbered USING (${key}, slice)
      ORDER BY numbered."row"`,
    [paths],
    signal,
  );
  const [counts] = await db.rows<{ added: number; given: number }>(
    "SELECT (SELECT count(*) FROM numbered) AS added, (SELECT count(*) FROM read_parquet(?)) AS given",
    [paths],
  );
  for (const table of ["files", "winners", "known", "numbered"]) await db.run(`DROP TABLE ${table}`);
  return {
    added: counts!.added,
    replaced: replaced.map(({ row }) => row),
    outdated: counts!.given - counts!.added,
  };
}
