import type { Removal } from "../../contract/lake/removal.js";
import { DOMAIN_PREFIX, PLATFORMS } from "../../contract/service/platforms.js";
import type { Database, SqlValue } from "../../duckdb/database.js";
import type { SourceSlice } from "../generation/load-tables.js";

/** Prefix of record ids by platform slug, for the shipped platforms and those of the slices. */
export function recordStems(slices: readonly Pick<SourceSlice, "manifest">[]): Map<string, string> {
  const platforms = [...PLATFORMS, ...slices.map(({ manifest }) => manifest.mirrorlake.platform)];
  return new Map(platforms.map(({ slug, domain, code }) => [slug, `${DOMAIN_PREFIX[domain]}_${code}_`]));
}

/**
 * Creates removals as tables: `removed_records`, `removed_raw`, `removed_quotes` (records that may quote, with the digests of what they
 * may) and `quoted_things` (raw items that may quote).
 */
export async function createRemovalTables(
  db: Database,
  removals: readonly Removal[],
  slices: readonly Pick<SourceSlice, "manifest">[],
): Promise<void> {
  await db.run("CREATE TABLE platforms (slug VARCHAR, stem VARCHAR)");
  await db.run("CREATE TABLE removed_records (id VARCHAR)");
  await db.run("CREATE TABLE removed_raw (platform VARCHAR, resource VARCHAR, id VARCHAR)");
  await db.run("CREATE TABLE quotes (id VARCHAR, sha256 VARCHAR)");
  await db.append("platforms", [...recordStems(slices)]);
  await db.append(
    "removed_records",
    cellsOf(removals, "record", ({ id }) => [id]),
  );
  await db.append(
    "removed_raw",
    cellsOf(removals, "raw", ({ platform, resource, id }) => [platform, resource, id]),
  );
  await db.append(
    "quotes",
    cellsOf(removals, "quote", ({ record, sha256 }) => [record, sha256]),
  );
  await db.run("CREATE TABLE removed_quotes AS SELECT id, list(sha256) AS digests FROM quotes GROUP BY id");
  await db.run("DROP TABLE quotes");
  await db.run(
    `CREATE TABLE quoted_things AS
      SELECT slug AS platform, substr(id, length(stem) + 1) AS id, removed_quotes.id AS record
      FROM removed_quotes JOIN platforms ON starts_with(id, stem)`,
  );
}

/** The cells of the removals of a kind, row by row. */
export function* cellsOf<K extends Removal["kind"]>(
  removals: readonly Removal[],
  kind: K,
  cells: (removal: Extract<Removal, { readonly kind: K }>) => SqlValue[],
): Generator<SqlValue[], void, void> {
  for (const removal of removals)
    if (removal.kind === kind) yield cells(removal as Extract<Removal, { readonly kind: K }>);
}

/** Drops the tables of {@link createRemovalTables}. */
export async function dropRemovalTables(db: Database): Promise<void> {
  for (const table of ["platforms", "removed_records", "removed_raw", "removed_quotes", "quoted_things"])
    await db.run(`DROP TABLE ${table}`);
}
