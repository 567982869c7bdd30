import { quoteName } from "./column.js";
import type { Staging } from "./staging.js";

/** The staged items of one slice: one domain, platform, language and month. */
export interface Part {
  /** 1-based number, in the order of domain, platform, language and month. */
  readonly part: number;
  /** The platform's slug. */
  readonly platform: string;
  /** BCP 47. */
  readonly lang: string;
  /** Months since year 0 in UTC: year × 12 + month − 1. */
  readonly month: number;
  readonly records: number;
  readonly raw: number;
  readonly vectors: number;
  /** Earliest and latest capture, epoch milliseconds. */
  readonly first_ms: number;
  readonly last_ms: number;
}

/**
 * Sorts the staged rows into the tables `sorted_records` (by part and id) and `sorted_raw` (by part, resource and id), which
 * replace `records` and `raw`, and lists the parts by number. From then on the database uses one thread.
 * @throws DatabaseError; the signal's reason when aborted
 */
export async function partition(staging: Staging, signal: AbortSignal | undefined): Promise<Part[]> {
  const { db } = staging;
  const run = (sql: string) => db.run(sql, [], signal);
  await run(`CREATE TABLE parts AS
    WITH keys AS (
      SELECT src AS domain, platform, lang, month FROM records UNION SELECT domain, platform, lang, month FROM raw)
    SELECT row_number() OVER (ORDER BY domain, platform, lang, month)::INTEGER AS part, * FROM keys`);
  await run(`CREATE TABLE positions AS
    SELECT seq, part, (row_number() OVER (PARTITION BY part ORDER BY id) - 1)::INTEGER AS vector_row
    FROM records JOIN parts ON src = domain AND parts.platform = records.platform AND parts.lang = records.lang
      AND parts.month = records.month
    WHERE source_row IS NOT NULL`);
  // Columns without values, which most are, are left out: sorting time depends on the row width.
  const filled = staging.filledColumns.map(({ name }) => `records.${quoteName(name)}`);
  await run(`CREATE TABLE sorted_records AS
    SELECT ${["parts.part", "source_row", ...filled].join(", ")}, vector_row
    FROM records JOIN parts ON src = domain AND parts.platform = records.platform AND parts.lang = records.lang
      AND parts.month = records.month LEFT JOIN positions ON positions.seq = records.seq
    ORDER BY parts.part, id`);
  await run("DROP TABLE records");
  await run(`CREATE TABLE sorted_raw AS
    SELECT part, raw.* FROM raw JOIN parts USING (domain, platform, lang, month)
    ORDER BY part, resource, id`);
  await run("DROP TABLE raw");
  // One thread reads the tables in insertion order, so nothing is sorted twice. And the bytes of a Parquet file written by one
  // thread depend on its rows alone.
  await run("SET threads = 1");
  return db.rows<Part & Record<string, unknown>>(`
    WITH captures AS (
      SELECT part, prov_ts_ms AS ms, 1 AS record, (vector_row IS NOT NULL)::INTEGER AS vector FROM sorted_records
      UNION ALL SELECT part, captured_ms, 0, 0 FROM sorted_raw)
    SELECT part, platform, lang, month, sum(record)::BIGINT AS records, sum(1 - record)::BIGINT AS raw,
      sum(vector)::BIGINT AS vectors, min(ms) AS first_ms, max(ms) AS last_ms
    FROM captures JOIN parts USING (part) GROUP BY ALL ORDER BY part`);
}
