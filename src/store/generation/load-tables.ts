import { join } from "node:path";
import type { Removal } from "../../contract/lake/removal.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import type { Database } from "../../duckdb/database.js";
import { quoteName } from "../../duckdb/quote-sql.js";
import { type Column, columnNames } from "../../slice/column.js";
import { RAW_COLUMNS } from "../../slice/raw-columns.js";
import { SLICE_FILES } from "../../slice/read-slice-manifest.js";
import { RECORD_COLUMNS, VECTOR_ROW } from "../../slice/record-columns.js";
import { RAW_WORDS } from "../raw-words.js";
import { redactedItems } from "../removals/redacted-items.js";
import { createRemovalTables, dropRemovalTables } from "../removals/removal-tables.js";
import { givenHash } from "./given-hash.js";
import { ROW_ORDER, rowOrder } from "./row-order.js";

/** A verified slice and its folder. */
export interface SourceSlice {
  readonly dir: string;
  readonly manifest: SliceManifest;
}

/** Outcome of loading one kind of item. */
export interface Loaded {
  /** Items added to the database. */
  readonly added: number;
  /** How many of them each slice brought, by its root; slices of which none was added are not there. */
  readonly addedBy: ReadonlyMap<string, number>;
  /** Rows replaced by a newer item, ascending; they are deleted from the database. */
  readonly replaced: readonly number[];
  /** Items skipped because a newer one with the same key exists. */
  readonly outdated: number;
  /** Items of which another edition of the same capture time says something else, so that the content hash decided which one counts. */
  readonly conflicts: number;
  /** Items skipped because they were removed from the lake. */
  readonly removed: number;
  /** Rows deleted because they were removed from the lake, ascending. */
  readonly withdrawn: readonly number[];
  /** Products of the price points that were replaced: what replaces a point may be of another product. */
  readonly products: readonly PricedProduct[];
}

/** What a price point is of: the platform, and the platform's own id. */
export type PricedProduct = Readonly<Record<"platform" | "parent", string>>;

interface Kind {
  readonly table: "records" | "raw";
  readonly key: readonly string[];
  readonly capturedMs: string;
  /** Tie-breaker among items of one capture, before the slice: it survives a revision of the slice. */
  readonly content: string;
  /** The same of a row `old` of the table. */
  readonly storedContent: string;
  readonly columns: string;
  /** Expressions of the columns, evaluated on Parquet. */
  readonly values: string;
}

const RECORDS: Kind = {
  table: "records",
  key: ["id"],
  capturedMs: "prov_ts_ms",
  content: "prov_hash",
  storedContent: givenHash("old"),
  columns: `${columnNames(RECORD_COLUMNS)}, vector_row, price_drop_given`,
  values: `${columnNames(RECORD_COLUMNS)}, vector_row, price_drop_7d`,
};

const RAW: Kind = {
  table: "raw",
  key: ["platform", "resource", "id"],
  capturedMs: "captured_ms",
  content: "md5(data)",
  storedContent: "md5(old.data)",
  columns: `${columnNames(RAW_COLUMNS)}, words`,
  values: `${columnNames(RAW_COLUMNS)}, ${RAW_WORDS}`,
};

/** How columns of long texts are stored: half the disk for some of the time to scan them. Look-ups read the row stores. */
const COMPRESSION = "USING COMPRESSION zstd";
const COMPRESSED: ReadonlySet<string> = new Set(["text", "title", "extra_other", "data"]);

function storedColumns<T>(columns: readonly Column<T>[]): string {
  const compression = (name: string) => (COMPRESSED.has(name) ? ` ${COMPRESSION}` : "");
  return columns.map(({ name, type }) => `${quoteName(name)} ${type}${compression(name)}`).join(", ");
}

/** Creates the tables of an empty generation: `slices`, `records` and `raw`, with row and slice numbers. */
export async function createTables(db: Database): Promise<void> {
  await db.run("CREATE TABLE slices (slice INTEGER, root VARCHAR)");
  await db.run(
    `CREATE TABLE records ("row" INTEGER, slice INTEGER, ${storedColumns(RECORD_COLUMNS)}, ${VECTOR_ROW.name} ${VECTOR_ROW.type},
      -- What the source says: price_drop_7d is derived where it says nothing, and prov_hash follows. NULL where the two hashes are one.
      price_drop_given DOUBLE, prov_hash_given VARCHAR)`,
  );
  await db.run(
    `CREATE TABLE raw ("row" INTEGER, slice INTEGER, ${storedColumns(RAW_COLUMNS)}, words VARCHAR ${COMPRESSION})`,
  );
}

/**
 * Loads slices into the tables, numbered from `firstSlice`; records and raw items are numbered from the given rows, records in id
 * order, raw items by platform, resource, parent and id. Among items with one key the latest capture wins, then the greater
 * content hash, then the greater slice root: the outcome does not depend on the order of installs. Items removed from the lake are
 * skipped in every edition, and deleted from the tables.
 */
export async function loadSlices(
  db: Database,
  slices: readonly SourceSlice[],
  first: { readonly slice: number; readonly record: number; readonly raw: number },
  options: {
    readonly removals?: readonly Removal[];
    /** Databases of generations whose editions are left out. */
    readonly except?: readonly string[];
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<{ records: Loaded; raw: Loaded }> {
  const { removals = [], except = [] } = options;
  for (const [i, path] of except.entries()) await db.attach(path, `except_${i}`);
  await db.append(
    "slices",
    slices.map(({ manifest }, i) => [first.slice + i, manifest.mirrorlake.root]),
  );
  if (removals.length > 0) await createRemovalTables(db, removals, slices);
  const load = (kind: Kind, firstRow: number) =>
    loadKind(db, kind, slices, { slice: first.slice, row: firstRow }, { ...options, removals, except });
  const loaded = { records: await load(RECORDS, first.record), raw: await load(RAW, first.raw) };
  if (removals.length > 0) await dropRemovalTables(db);
  return loaded;
}

async function loadKind(
  db: Database,
  kind: Kind,
  slices: readonly SourceSlice[],
  first: { readonly slice: number; readonly row: number },
  {
    removals,
    except,
    signal,
  }: {
    readonly removals: readonly Removal[];
    readonly except: readonly string[];
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Loaded> {
  const withdrawn = await withdraw(db, kind, removals);
  const files = slices.flatMap(({ dir, manifest }, i) =>
    manifest.resources.some(({ name }) => name === kind.table)
      ? [{ slice: first.slice + i, path: join(dir, SLICE_FILES[kind.table].path) }]
      : [],
  );
  if (files.length === 0)
    return {
      added: 0,
      addedBy: new Map(),
      replaced: [],
      outdated: 0,
      conflicts: 0,
      removed: 0,
      withdrawn,
      products: [],
    };
  const key = kind.key.join(", ");
  const columns = [...new Set([...kind.key, ...ROW_ORDER[kind.table]])].join(", ");
  const paths = files.map(({ path }) => path);
  // Nothing is known of a table without rows.
  const known = first.row > 0;
  await db.run("CREATE OR REPLACE TEMP TABLE files (slice INTEGER, path VARCHAR)");
  await db.append(
    "files",
    files.map(({ slice, path }) => [slice, path]),
  );
  await db.run(
    `CREATE OR REPLACE TEMP TABLE winners AS
      SELECT ${columns}, slice, root, ${kind.capturedMs} AS ms, ${kind.content} AS content,
        coalesce(lead(ms) OVER ranked = ms AND lead(content) OVER ranked <> content, false) AS tied
      FROM read_parquet(?, filename = true) JOIN files ON path = filename JOIN slices USING (slice)
      ${removals.length === 0 ? "" : `ANTI JOIN removed_${kind.table} USING (${key})`}
      ${except.length === 0 ? "" : `ANTI JOIN (${loadedElsewhere(kind, except)}) USING (${key}, root)`}
      WINDOW ranked AS (PARTITION BY ${key} ORDER BY ${kind.capturedMs} DESC, ${kind.content} DESC, root DESC)
      QUALIFY row_number() OVER ranked = 1`,
    [paths],
    signal,
  );
  if (known)
    await db.run(
      `CREATE OR REPLACE TEMP TABLE known AS
      SELECT "row", ${kind.key.map((name) => `old.${name}`).join(", ")},
        (winners.ms, winners.content, winners.root) > (old.${kind.capturedMs}, ${kind.storedContent}, slices.root) AS replaced,
        winners.ms = old.${kind.capturedMs} AND winners.content <> ${kind.storedContent} AS tied
      FROM ${kind.table} old JOIN winners USING (${key}) JOIN slices ON slices.slice = old.slice`,
    );
  await db.run(
    `CREATE OR REPLACE TEMP TABLE numbered AS
      SELECT ${key}, slice, (? + row_number() OVER (ORDER BY ${rowOrder(kind.table)}) - 1)::INTEGER AS "row"
      FROM winners ${known ? `ANTI JOIN (SELECT * FROM known WHERE NOT replaced) USING (${key})` : ""}`,
    [first.row],
  );
  const replaced = known
    ? await db.rows<{ row: number }>(`SELECT "row" FROM known WHERE replaced ORDER BY "row"`)
    : [];
  const products =
    replaced.length > 0 && kind === RAW
      ? await db.rows<PricedProduct>(
          `SELECT DISTINCT platform, parent FROM raw SEMI JOIN (FROM known WHERE replaced) USING ("row")
            WHERE resource = 'price' AND parent IS NOT NULL`,
        )
      : [];
  if (replaced.length > 0)
    await db.run(`DELETE FROM ${kind.table} WHERE "row" IN (SELECT "row" FROM known WHERE replaced)`);
  const items = await redactedItems(db, kind.table, paths, removals);
  await db.run(
    `INSERT INTO ${kind.table} ("row", slice, ${kind.columns})
      SELECT numbered."row", numbered.slice, ${kind.values}
      FROM (SELECT * FROM (${items}) JOIN files ON path = filename) items JOIN numbered USING (${key}, slice)
      ORDER BY numbered."row"`,
    [],
    signal,
  );
  const [counts] = await db.rows<{ added: number; given: number; removed: number }>(
    `SELECT (SELECT count(*) FROM numbered) AS added, (SELECT count(*) FROM read_parquet($1)) AS given,
      ${removals.length === 0 ? "0" : `(SELECT count(*) FROM read_parquet($1) SEMI JOIN removed_${kind.table} USING (${key}))`} AS removed`,
    [paths],
  );
  // Of editions that are captured before the one that is there nothing is shown, so that they are in no conflict.
  const [tied] = await db.rows<{ conflicts: number }>(
    known
      ? `SELECT count(*) AS conflicts FROM winners LEFT JOIN known USING (${key})
          WHERE coalesce(known.tied, false) OR (winners.tied AND coalesce(known.replaced, true))`
      : "SELECT count(*) AS conflicts FROM winners WHERE tied",
  );
  const bySlice = await db.rows<{ root: string; added: number }>(
    "SELECT root, count(*) AS added FROM numbered JOIN slices USING (slice) GROUP BY root",
  );
  for (const table of ["files", "winners", "numbered"]) await db.run(`DROP TABLE ${table}`);
  if (known) await db.run("DROP TABLE known");
  if (removals.length > 0) await db.run(`DROP TABLE IF EXISTS redacted_${kind.table}`);
  const { added, given, removed } = counts!;
  return {
    added,
    addedBy: new Map(bySlice.map(({ root, added }) => [root, added])),
    replaced: replaced.map(({ row }) => row),
    outdated: given - added - removed,
    conflicts: tied!.conflicts,
    removed,
    withdrawn,
    products,
  };
}

/** SQL of the editions of other generations: keys and roots of slices. */
function loadedElsewhere({ table, key }: Kind, except: readonly string[]): string {
  return except
    .map(
      (_, i) =>
        `SELECT ${key.join(", ")}, root FROM except_${i}.${table} JOIN except_${i}.slices USING (slice)`,
    )
    .join(" UNION ALL ");
}

/** Deletes removed items from a table; returns their rows. */
async function withdraw(db: Database, { table, key }: Kind, removals: readonly Removal[]): Promise<number[]> {
  if (removals.length === 0) return [];
  const rows = await db.rows<{ row: number }>(
    `SELECT "row" FROM ${table} SEMI JOIN removed_${table} USING (${key.join(", ")}) ORDER BY "row"`,
  );
  await db.run(`DELETE FROM ${table} WHERE "row" IN (SELECT unnest(?::INTEGER[]))`, [
    rows.map(({ row }) => row),
  ]);
  return rows.map(({ row }) => row);
}
