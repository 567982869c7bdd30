import { join } from "node:path";
import type { Removal } from "../../contract/lake/removal.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import type { Database } from "../../duckdb/database.js";
import type { OnShare } from "../../duckdb/watch-share.js";
import { SLICE_FILES } from "../../slice/read-slice-manifest.js";
import { itemsOfFiles, redactedItems } from "../removals/redacted-items.js";
import { createRemovalTables, dropRemovalTables } from "../removals/removal-tables.js";
import { goneTable, type ItemKind, RAW, RECORDS } from "./item-kinds.js";
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
  /** How many of them are of slices that were there: what had replaced them went with its slice. */
  readonly again: number;
  /** How many rows that went with their slices the new ones have other editions of. */
  readonly revised: number;
  /** How many of them each slice brought, by its root; slices of which none was added are not there. */
  readonly addedBy: ReadonlyMap<string, number>;
  /** Rows replaced by a newer item, ascending; they are deleted from the database. */
  readonly replaced: readonly number[];
  /** Items of the new slices that are skipped because a newer one with the same key exists. */
  readonly outdated: number;
  /** Items of the new slices of which another edition of the same capture time says something else, so that the content hash decided which one counts. */
  readonly conflicts: number;
  /** Items skipped because they were removed from the lake. */
  readonly removed: number;
  /** Rows deleted because they were removed from the lake, ascending. */
  readonly withdrawn: readonly number[];
  /** Products of the price points that were replaced: what replaces a point may be of another product. */
  readonly products: readonly PricedProduct[];
}

/** Where slices are loaded to. */
export interface Places {
  /** The number of a slice with this root. */
  readonly numberOf: (root: string) => number;
  /** The first rows. */
  readonly first: { readonly records: number; readonly raw: number };
  /**
   * Given where slices were withdrawn from the tables: those that are there of whose editions some are loaded, since what had replaced
   * them may have gone.
   */
  readonly holders?: readonly SourceSlice[] | undefined;
}

const NOTHING_LOADED: Loaded = {
  added: 0,
  again: 0,
  revised: 0,
  addedBy: new Map(),
  replaced: [],
  outdated: 0,
  conflicts: 0,
  removed: 0,
  withdrawn: [],
  products: [],
};

/** What a price point is of: the platform, and the platform's own id. */
export type PricedProduct = Readonly<Record<"platform" | "parent", string>>;

/**
 * Loads slices into the tables; records and raw items are numbered from the given rows, records in id
 * order, raw items by platform, resource, parent and id. Among items with one key the latest capture wins, then the greater
 * content hash, then the greater slice root: the outcome does not depend on the order of installs. Items removed from the lake are
 * skipped in every edition, and deleted from the tables.
 */
export async function loadSlices(
  db: Database,
  slices: readonly SourceSlice[],
  { numberOf, first, holders }: Places,
  options: {
    readonly removals?: readonly Removal[];
    /** Databases of generations whose editions are left out. */
    readonly except?: readonly string[];
    /** Told how much of the work is done: half of it is that of records, whatever there is. */
    readonly onShare?: OnShare | undefined;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<{ records: Loaded; raw: Loaded }> {
  const { removals = [], except = [], onShare } = options;
  for (const [i, path] of except.entries()) await db.attach(path, `except_${i}`);
  await db.append(
    "slices",
    slices.map(({ manifest: { mirrorlake } }) => [numberOf(mirrorlake.root), mirrorlake.root]),
  );
  if (removals.length > 0) await createRemovalTables(db, removals, slices);
  const load = (kind: ItemKind, done: number) => {
    const files = [
      ...filesOf(kind, slices, numberOf).map((file) => ({ ...file, fresh: true })),
      ...filesOf(kind, holders ?? [], numberOf).map((file) => ({ ...file, fresh: false })),
    ];
    const after = { row: first[kind.table], withdrawal: holders !== undefined };
    const ofKind = onShare && ((share: number) => onShare(done + share / 2));
    return loadKind(db, kind, files, after, { signal: options.signal, removals, except, onShare: ofKind });
  };
  const loaded = { records: await load(RECORDS, 0), raw: await load(RAW, 0.5) };
  if (removals.length > 0) await dropRemovalTables(db);
  return loaded;
}

/** A file of a slice's items. */
interface ItemFile {
  readonly slice: number;
  readonly path: string;
  /** Whether the slice comes; of one that is there only editions of what went are loaded. */
  readonly fresh: boolean;
}

function filesOf(
  { table }: ItemKind,
  slices: readonly SourceSlice[],
  numberOf: Places["numberOf"],
): Omit<ItemFile, "fresh">[] {
  return slices.flatMap(({ dir, manifest: { resources, mirrorlake } }) =>
    resources.some(({ name }) => name === table)
      ? [{ slice: numberOf(mirrorlake.root), path: join(dir, SLICE_FILES[table].path) }]
      : [],
  );
}

async function loadKind(
  db: Database,
  kind: ItemKind,
  files: readonly ItemFile[],
  after: { readonly row: number; readonly withdrawal: boolean },
  {
    removals,
    except,
    onShare,
    signal,
  }: {
    readonly removals: readonly Removal[];
    readonly except: readonly string[];
    readonly onShare: OnShare | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Loaded> {
  const withdrawn = await withdraw(db, kind, removals);
  if (files.length === 0) return { ...NOTHING_LOADED, withdrawn };
  const key = kind.key.join(", ");
  const columns = [...new Set([...kind.key, ...ROW_ORDER[kind.table]])].join(", ");
  const paths = files.map(({ path }) => path);
  // Nothing is known of a table without rows.
  const known = after.row > 0;
  await db.run("CREATE OR REPLACE TEMP TABLE files (slice INTEGER, path VARCHAR, fresh BOOLEAN)");
  await db.append(
    "files",
    files.map(({ slice, path, fresh }) => [slice, path, fresh]),
  );
  await db.run(
    `CREATE OR REPLACE TEMP TABLE winners AS
      SELECT ${columns}, slice, root, ${kind.capturedMs} AS ms, ${kind.content} AS content,
        coalesce(lead(ms) OVER ranked = ms AND lead(content) OVER ranked <> content, false)${
          after.withdrawal ? ` AND bool_or(fresh) OVER (PARTITION BY ${key})` : ""
        } AS tied
      FROM read_parquet(?, filename = true) JOIN files ON path = filename JOIN slices USING (slice)
      ${removals.length === 0 ? "" : `ANTI JOIN removed_${kind.table} USING (${key})`}
      ${except.length === 0 ? "" : `ANTI JOIN (${loadedElsewhere(kind, except)}) USING (${key}, root)`}
      ${after.withdrawal ? `LEFT JOIN (SELECT ${key}, true AS went FROM ${goneTable(kind.table)}) USING (${key}) WHERE fresh OR went` : ""}
      WINDOW ranked AS (PARTITION BY ${key} ORDER BY ${kind.capturedMs} DESC, ${kind.content} DESC, root DESC)
      QUALIFY row_number() OVER ranked = 1`,
    [paths],
    signal,
    onShare && ((share) => onShare(share / 2)),
  );
  onShare?.(0.5);
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
    [after.row],
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
  const items = removals.length === 0 ? itemsOfFiles(paths) : await redactedItems(db, kind.table, paths);
  await db.run(
    `INSERT INTO ${kind.table} ("row", slice, ${kind.columns})
      SELECT numbered."row", numbered.slice, ${kind.values}
      FROM (SELECT * FROM (${items}) JOIN files ON path = filename) items JOIN numbered USING (${key}, slice)
      ORDER BY numbered."row"`,
    [],
    signal,
    onShare && ((share) => onShare(0.5 + share / 2)),
  );
  onShare?.(1);
  const counts = await countItems(db, kind, files, { removals, ...after });
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
  return {
    ...counts,
    addedBy: new Map(bySlice.map(({ root, added }) => [root, added])),
    replaced: replaced.map(({ row }) => row),
    conflicts: tied!.conflicts,
    withdrawn,
    products,
  };
}

/** Counts what became of the items of files. */
async function countItems(
  db: Database,
  kind: ItemKind,
  files: readonly ItemFile[],
  { removals, withdrawal }: { readonly removals: readonly Removal[]; readonly withdrawal: boolean },
): Promise<Pick<Loaded, "added" | "again" | "revised" | "outdated" | "removed">> {
  const key = kind.key.join(", ");
  const given = `read_parquet($1, filename = true) JOIN files ON path = filename WHERE fresh`;
  const [counts] = await db.rows<Record<"added" | "again" | "revised" | "given" | "removed", number>>(
    `SELECT (SELECT count(*) FROM numbered) AS added,
      (SELECT count(*) FROM ${given}) AS given,
      (SELECT count(*) FROM numbered JOIN files USING (slice) WHERE NOT fresh) AS again,
      ${
        withdrawal
          ? `(SELECT count(*) FROM ${goneTable(kind.table)} SEMI JOIN (FROM numbered JOIN files USING (slice) WHERE fresh) USING (${key}))`
          : "0"
      } AS revised,
      ${removals.length === 0 ? "0" : `(SELECT count(*) FROM (FROM ${given}) SEMI JOIN removed_${kind.table} USING (${key}))`} AS removed`,
    [files.map(({ path }) => path)],
  );
  const { added, again, revised, given: all, removed } = counts!;
  return { added, again, revised, removed, outdated: all - (added - again) - removed };
}

/** SQL of the editions of other generations: keys and roots of slices. */
function loadedElsewhere({ table, key }: ItemKind, except: readonly string[]): string {
  return except
    .map(
      (_, i) =>
        `SELECT ${key.join(", ")}, root FROM except_${i}.${table} JOIN except_${i}.slices USING (slice)`,
    )
    .join(" UNION ALL ");
}

/** Deletes removed items from a table; returns their rows. */
async function withdraw(
  db: Database,
  { table, key }: ItemKind,
  removals: readonly Removal[],
): Promise<number[]> {
  if (removals.length === 0) return [];
  const rows = await db.rows<{ row: number }>(
    `SELECT "row" FROM ${table} SEMI JOIN removed_${table} USING (${key.join(", ")}) ORDER BY "row"`,
  );
  await db.run(`DELETE FROM ${table} WHERE "row" IN (SELECT unnest(?::INTEGER[]))`, [
    rows.map(({ row }) => row),
  ]);
  return rows.map(({ row }) => row);
}
