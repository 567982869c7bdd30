import type { Removal } from "../../contract/lake/removal.js";
import { DOMAIN_PREFIX, PLATFORMS } from "../../contract/service/platforms.js";
import type { Database } from "../../duckdb/database.js";
import type { SourceSlice } from "../generation/load-tables.js";

/** Prefix of record ids by platform slug, for the shipped platforms and those of the slices. */
export function recordStems(slices: readonly Pick<SourceSlice, "manifest">[]): Map<string, string> {
  const platforms = [...PLATFORMS, ...slices.map(({ manifest }) => manifest.mirrorlake.platform)];
  return new Map(platforms.map(({ slug, domain, code }) => [slug, `${DOMAIN_PREFIX[domain]}_${code}_`]));
}

/**
 * Creates removals as tables: `removed_records`, `removed_raw`, `removed_quotes` (records that may quote) and `quoted_things` (raw
 * items that may quote).
 */
export async function createRemovalTables(
  db: Database,
  removals: Iterable<Removal>,
  slices: readonly Pick<SourceSlice, "manifest">[],
): Promise<void> {
  await db.run("CREATE TABLE platforms (slug VARCHAR, stem VARCHAR)");
  await db.run("CREATE TABLE removed_records (id VARCHAR)");
  await db.run("CREATE TABLE removed_raw (platform VARCHAR, resource VARCHAR, id VARCHAR)");
  await db.run("CREATE TABLE removed_quotes (id VARCHAR)");
  const records: string[][] = [];
  const raw: string[][] = [];
  const quoting = new Set<string>();
  for (const removal of removals) {
    if (removal.kind === "record") records.push([removal.id]);
    else if (removal.kind === "raw") raw.push([removal.platform, removal.resource, removal.id]);
    else if (removal.kind === "quote") quoting.add(removal.record);
  }
  await db.append("platforms", [...recordStems(slices)]);
  await db.append("removed_records", records);
  await db.append("removed_raw", raw);
  await db.append(
    "removed_quotes",
    [...quoting].map((id) => [id]),
  );
  await db.run(
    `CREATE TABLE quoted_things AS
      SELECT slug AS platform, substr(id, length(stem) + 1) AS id, removed_quotes.id AS record
      FROM removed_quotes JOIN platforms ON starts_with(id, stem)`,
  );
}

/** Drops the tables of {@link createRemovalTables}. */
export async function dropRemovalTables(db: Database): Promise<void> {
  for (const table of ["platforms", "removed_records", "removed_raw", "removed_quotes", "quoted_things"])
    await db.run(`DROP TABLE ${table}`);
}

/** SHA-256 of the texts to redact from each record's samples. */
export function quotesByRecord(removals: Iterable<Removal>): Map<string, Set<string>> {
  const quotes = new Map<string, Set<string>>();
  for (const removal of removals) {
    if (removal.kind !== "quote") continue;
    const known = quotes.get(removal.record);
    if (known === undefined) quotes.set(removal.record, new Set([removal.sha256]));
    else known.add(removal.sha256);
  }
  return quotes;
}
