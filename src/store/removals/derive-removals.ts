import { join } from "node:path";
import type { JsonObject } from "../../contract/json.js";
import {
  CREATOR_RESOURCE,
  PART_RESOURCES,
  RELATION_RESOURCE,
  type Removal,
  type RemovalTarget,
  removalKey,
} from "../../contract/lake/removal.js";
import { Database } from "../../duckdb/database.js";
import { BUILD_DEFAULTS } from "../../duckdb/defaults.js";
import { EventLoopTurn } from "../../event-loop-turn.js";
import { GENERATION_FILES } from "../generation/generation-manifest.js";
import { findAnswered } from "./find-answered.js";
import { itemsOf, type KnownSlice, lostRoots } from "./known-slice.js";
import { quotesOf } from "./redact.js";
import { REMOVALS_TURN_MS } from "./removal-list.js";
import { cellsOf, createRemovalTables } from "./removal-tables.js";
import { unmatchedTargets } from "./unmatched-targets.js";

const NOT_WORKS = [...PART_RESOURCES, CREATOR_RESOURCE];
const list = (names: readonly string[]) => names.map((name) => `'${name}'`).join(", ");
const isWork = (column: string) => `${column} NOT IN (${list(NOT_WORKS)})`;

/** Options of {@link deriveRemovals}. */
export interface DeriveOptions {
  /** Folder for data that does not fit into memory. */
  readonly tempDirectory: string;
  /** Slices in which hashes of answers are looked for, if others are known not to have them. Default: all. */
  readonly fresh?: readonly KnownSlice[] | undefined;
  /** Folder of the generation that is built from the slices: its answers were seen, and it has what lost slices hold. */
  readonly generation?: string | undefined;
  /** Targets of which to say whether they name anything. */
  readonly asked?: readonly RemovalTarget[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What {@link deriveRemovals} finds. */
export interface DerivedRemovals {
  /** Removals by key that are not among the given ones. */
  readonly derived: readonly Removal[];
  /** Those of the asked targets that name nothing in the slices. */
  readonly unmatched: readonly RemovalTarget[];
}

/**
 * Derives removals from given ones, over the slices of a lake: the works of a removed author, the record and the raw item of the
 * same work, the parts of a removed work, the replies to a removed comment, and quotes in samples. Every edition counts, live or
 * replaced, so the outcome does not depend on the order of installs; of lost slices those that the generation holds.
 */
export async function deriveRemovals(
  slices: readonly KnownSlice[],
  removals: readonly Removal[],
  { tempDirectory, fresh: unseen = slices, generation, asked = [], signal }: DeriveOptions,
): Promise<DerivedRemovals> {
  const db = await Database.openKept(":memory:", {
    memoryLimit: BUILD_DEFAULTS.memoryLimit,
    threads: BUILD_DEFAULTS.threads,
    tempDirectory,
  });
  try {
    const hasLost = lostRoots(slices).length > 0;
    if (hasLost) await attachCorpus(db, generation);
    await prepare(db, slices, removals, signal);
    const unknown = await addByHash(db, slices, signal);
    if (unknown.size > 0) {
      if (!hasLost && generation !== undefined) await attachCorpus(db, generation);
      const hasCorpus = generation !== undefined;
      const found = await findAnswered(db, unknown, { slices: unseen, hasCorpus, signal });
      for (const hash of found) unknown.delete(hash);
    }
    const unmatched = await unmatchedTargets(db, asked, unknown, signal);
    await addUntilStable(db, signal);
    const fresh: Removal[] = [];
    for await (const batch of db.stream<{ id: string }>(
      "SELECT id FROM removed_records EXCEPT SELECT id FROM given_records ORDER BY id",
    )) {
      fresh.push(...batch.map(({ id }): Removal => ({ kind: "record", id })));
    }
    for await (const batch of db.stream<{ platform: string; resource: string; id: string }>(
      "FROM removed_raw EXCEPT FROM given_raw ORDER BY ALL",
    )) {
      fresh.push(...batch.map((key): Removal => ({ kind: "raw", ...key })));
    }
    for await (const batch of db.stream<{ platform: string; id: string }>(
      "SELECT platform, id FROM removed_authors EXCEPT SELECT platform, id FROM given_authors ORDER BY ALL",
    )) {
      fresh.push(...batch.map(({ platform, id }): Removal => ({ kind: "author", platform, id })));
    }
    fresh.push(...(await quotesIn(db, itemsOf(slices, "raw"), removals, signal)));
    return { derived: fresh, unmatched };
  } finally {
    await db.close();
  }
}

/** Creates tables of the removals and of the slices' keys. */
async function prepare(
  db: Database,
  slices: readonly KnownSlice[],
  removals: readonly Removal[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const run = (sql: string) => db.run(sql, [], signal);
  await createRemovalTables(db, removals, slices);
  await run("CREATE TABLE removed_authors (platform VARCHAR, id VARCHAR)");
  await run("CREATE TABLE removed_hashes (hash VARCHAR)");
  await db.append(
    "removed_authors",
    cellsOf(removals, "author", ({ platform, id }) => [platform ?? null, id]),
  );
  await db.append(
    "removed_hashes",
    cellsOf(removals, "hash", ({ hash }) => [hash]),
  );
  for (const table of ["records", "raw", "authors"])
    await run(`CREATE TABLE given_${table} AS FROM removed_${table}`);
  const raw = itemsOf(slices, "raw");
  await run(
    `CREATE TABLE records AS SELECT DISTINCT id, platform, author_uid_hash, prov_hash FROM ${itemsOf(slices, "records")}`,
  );
  await run(`CREATE TABLE raw AS SELECT DISTINCT platform, resource, id, parent, reply_to FROM ${raw}`);
  // An item's author: the author's names, and the hash that records use for the same author.
  const names = `list_filter([author, if(resource = '${CREATOR_RESOURCE}', id, NULL),
      if(resource = '${RELATION_RESOURCE}', parent, NULL), data->>'$.from', data->>'$.to', data->>'$.author.uid_hash',
      data->>'$.author.uid', data->>'$.author.sec_uid', data->>'$.author.unique_id'], lambda name: name <> '')`;
  await run(
    !removals.some(({ kind }) => kind === "author")
      ? "CREATE TABLE authors (platform VARCHAR, resource VARCHAR, id VARCHAR, uid_hash VARCHAR, name VARCHAR)"
      : `CREATE TABLE authors AS SELECT DISTINCT platform, resource, id, data->>'$.author.uid_hash' AS uid_hash,
          unnest(${names}) AS name FROM ${raw}`,
  );
}

async function attachCorpus(db: Database, generation: string | undefined): Promise<void> {
  if (generation === undefined) throw new RangeError("A lost slice needs the generation's folder");
  await db.attach(join(generation, GENERATION_FILES.database), "corpus");
}

/**
 * Adds the raw items that are removed by the hash that slices store; that of a record is one of the `STEPS`. Returns the hashes that no
 * slice stores.
 */
async function addByHash(
  db: Database,
  slices: readonly KnownSlice[],
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const [given] = await db.rows<{ n: number }>("SELECT count(*) AS n FROM removed_hashes");
  if (given!.n === 0) return new Set();
  await db.run(
    `CREATE TABLE by_hash AS SELECT DISTINCT platform, resource, id, data->>'$.prov.hash' AS hash
      FROM ${itemsOf(slices, "raw")} WHERE ${isWork("resource")} AND hash IN (FROM removed_hashes)`,
    [],
    signal,
  );
  await db.run("INSERT INTO removed_raw SELECT DISTINCT platform, resource, id FROM by_hash");
  const unknown = await db.rows<{ hash: string }>(
    "SELECT hash FROM removed_hashes EXCEPT SELECT prov_hash FROM records EXCEPT SELECT hash FROM by_hash",
  );
  return new Set(unknown.map(({ hash }) => hash));
}

/** Adds derived removals until there are no more. A step that was run gives nothing new until one of the tables that it reads has grown. */
async function addUntilStable(db: Database, signal: AbortSignal | undefined): Promise<void> {
  const counts = REMOVED.map((table) => `(SELECT count(*) FROM removed_${table}) AS ${table}`);
  const [sizes] = await db.rows<Record<Removed, number>>(`SELECT ${counts.join(", ")}`);
  const seen = STEPS.map(() => 0);
  for (let ran = true; ran; ) {
    ran = false;
    for (const [i, { adds, reads, query }] of STEPS.entries()) {
      const size = reads.reduce((sum, table) => sum + sizes![table], 0);
      if (size === seen[i]) continue;
      [seen[i], ran] = [size, true];
      // In two statements: DuckDB 1.5.6 inserts again what an EXCEPT of the same statement takes out, in small lakes.
      await db.run(`CREATE OR REPLACE TABLE fresh AS (${query}) EXCEPT FROM removed_${adds}`, [], signal);
      const [fresh] = await db.rows<{ n: number }>("SELECT count(*) AS n FROM fresh");
      if (fresh!.n === 0) continue;
      await db.run(`INSERT INTO removed_${adds} FROM fresh`);
      sizes![adds] += fresh!.n;
    }
  }
}

/** The tables of removals that steps read. */
const REMOVED = ["authors", "hashes", "records", "raw"] as const;
type Removed = (typeof REMOVED)[number];

/** A rule by which removals follow from others: the table that it adds to, those that it reads, and a query that is empty where they are. */
interface Step {
  readonly adds: Exclude<Removed, "hashes">;
  readonly reads: readonly Removed[];
  readonly query: string;
}

const BY_AUTHOR = `JOIN removed_authors gone ON gone.id = name WHERE (gone.platform IS NULL OR gone.platform = authors.platform)`;

const WORKS = `(SELECT slug AS platform, substr(id, length(stem) + 1) AS id FROM removed_records JOIN platforms ON starts_with(id, stem)
  UNION SELECT platform, id FROM removed_raw WHERE ${isWork("resource")})`;

const STEPS: readonly Step[] = [
  {
    adds: "authors",
    reads: ["authors"],
    query: `SELECT DISTINCT authors.platform, uid_hash FROM authors ${BY_AUTHOR} AND uid_hash IS NOT NULL`,
  },
  {
    adds: "records",
    reads: ["authors"],
    query: `SELECT DISTINCT records.id FROM records JOIN removed_authors gone ON gone.id = author_uid_hash
      WHERE gone.platform IS NULL OR gone.platform = records.platform`,
  },
  {
    adds: "records",
    reads: ["hashes"],
    query: "SELECT DISTINCT id FROM records JOIN removed_hashes ON hash = prov_hash",
  },
  {
    adds: "records",
    reads: ["raw"],
    query: `SELECT DISTINCT stem || id FROM removed_raw JOIN platforms ON slug = platform WHERE ${isWork("resource")}`,
  },
  {
    adds: "raw",
    reads: ["authors"],
    query: `SELECT DISTINCT authors.platform, resource, authors.id FROM authors ${BY_AUTHOR}`,
  },
  {
    adds: "raw",
    reads: ["records", "raw"],
    query: `SELECT DISTINCT raw.platform, resource, raw.id FROM raw SEMI JOIN ${WORKS} work
      ON work.platform = raw.platform AND work.id = raw.id WHERE ${isWork("resource")}`,
  },
  {
    adds: "raw",
    reads: ["records", "raw"],
    query: `SELECT DISTINCT raw.platform, resource, raw.id FROM raw SEMI JOIN ${WORKS} work
      ON work.platform = raw.platform AND work.id = raw.parent WHERE resource <> '${RELATION_RESOURCE}'`,
  },
  {
    adds: "raw",
    reads: ["raw"],
    query: `SELECT DISTINCT raw.platform, resource, raw.id FROM raw SEMI JOIN removed_raw gone
      ON gone.platform = raw.platform AND gone.resource = '${CREATOR_RESOURCE}' AND gone.id = raw.parent
      WHERE resource = '${RELATION_RESOURCE}'`,
  },
  {
    adds: "raw",
    reads: ["raw"],
    query: `SELECT DISTINCT raw.platform, raw.resource, raw.id FROM raw SEMI JOIN removed_raw gone
      ON gone.platform = raw.platform AND gone.resource = raw.resource AND gone.id = raw.reply_to`,
  },
];

/** Quotes of removed items in the samples of records that stay. */
async function quotesIn(
  db: Database,
  items: string,
  removals: readonly Removal[],
  signal: AbortSignal | undefined,
): Promise<Removal[]> {
  const turn = new EventLoopTurn(REMOVALS_TURN_MS);
  const known = new Set<string>();
  for (const removal of removals) {
    if (turn.isOver()) await turn.next();
    if (removal.kind === "quote") known.add(removalKey(removal));
  }
  const fresh: Removal[] = [];
  const rows = db.stream<{ record: string; data: string }>(
    `SELECT stem || parent AS record, data FROM ${items} item SEMI JOIN removed_raw gone
        ON gone.platform = item.platform AND gone.resource = item.resource AND gone.id = item.id
      JOIN platforms ON slug = item.platform
      WHERE item.resource IN (${list(PART_RESOURCES)}) AND parent IS NOT NULL
        AND stem || parent NOT IN (SELECT id FROM removed_records)
      ORDER BY record, resource, item.id, data`,
    [],
    signal,
  );
  for await (const batch of rows) {
    for (const { record, data } of batch) {
      if (turn.isOver()) await turn.next();
      for (const sha256 of quotesOf({ data: JSON.parse(data) as JsonObject })) {
        const quote: Removal = { kind: "quote", record, sha256 };
        const key = removalKey(quote);
        if (known.has(key)) continue;
        known.add(key);
        fresh.push(quote);
      }
    }
  }
  return fresh;
}
