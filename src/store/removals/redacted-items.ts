import type { Database, SqlValue } from "../../duckdb/database.js";
import { quoteText } from "../../duckdb/quote-sql.js";
import { quotingRaw, quotingRecords } from "./quoting.js";
import { redactRaw, redactRecord } from "./redact.js";

interface Kind {
  readonly key: readonly string[];
  /** Columns that redaction changes, and their types. */
  readonly columns: Readonly<Record<string, "VARCHAR" | "VARCHAR[]">>;
  readonly find: (db: Database, table: string) => Promise<SqlValue[][]>;
}

const KINDS: Readonly<Record<"records" | "raw", Kind>> = {
  records: {
    key: ["id"],
    columns: { comment_thread: "VARCHAR[]", review_sample: "VARCHAR[]", prov_hash: "VARCHAR" },
    find: async (db, table) =>
      (await quotingRecords(db, table)).map(({ row, item, redacted }) => {
        const { id, comment_thread, review_sample, prov } = redactRecord(item, redacted);
        return [row as string, id, comment_thread ?? null, review_sample ?? null, prov.hash];
      }),
  },
  raw: {
    key: ["platform", "resource", "id"],
    columns: { data: "VARCHAR" },
    find: async (db, table) =>
      (await quotingRaw(db, table)).map(({ row, item, redacted }) => {
        const { platform, resource, id, data } = redactRaw(item, redacted);
        return [row as string, platform, resource, id, JSON.stringify(data)];
      }),
  },
};

/** The query for the items of Parquet files, each with its `filename`. */
export function itemsOfFiles(paths: readonly string[]): string {
  return `SELECT * FROM read_parquet([${paths.map(quoteText).join(", ")}], filename = true)`;
}

/**
 * The query of {@link itemsOfFiles}, with quotes of removed items redacted. It uses the table `redacted_<kind>`. Needs
 * `createRemovalTables`.
 */
export async function redactedItems(
  db: Database,
  kind: "records" | "raw",
  paths: readonly string[],
): Promise<string> {
  const { key, columns, find } = KINDS[kind];
  const items = itemsOfFiles(paths);
  const found = await find(db, `(SELECT filename AS "row", * FROM (${items}))`);
  if (found.length === 0) return items;
  const table = `redacted_${kind}`;
  const keys = key.map((name) => `${name} VARCHAR`);
  const types = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  await db.run(`CREATE OR REPLACE TABLE ${table} (path VARCHAR, ${[...keys, ...types].join(", ")})`);
  await db.append(table, found);
  const replaced = Object.keys(columns).map((name) => `if(r.path IS NULL, i.${name}, r.${name}) AS ${name}`);
  const same = key.map((name) => `r.${name} = i.${name}`);
  return `SELECT i.* REPLACE (${replaced.join(", ")}) FROM (${items}) i
    LEFT JOIN ${table} r ON r.path = i.filename AND ${same.join(" AND ")}`;
}
