import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

/** @param {string} path */
const quote = (path) => `'${path.replaceAll("'", "''")}'`;

/**
 * Runs SQL in a throw-away, single-threaded DuckDB: what it writes has the same bytes on every run.
 * @param {string} sql
 * @param {string[]} [params]
 * @returns {Promise<void>}
 */
async function run(sql, params = []) {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  try {
    await connection.run(sql, params);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/**
 * Writes flat rows as Parquet; column types are those that DuckDB finds in their JSON.
 * @param {string} path
 * @param {readonly object[]} rows
 * @param {string} columns
 * @returns {Promise<void>}
 */
export async function writeParquet(path, rows, columns) {
  await mkdir(dirname(path), { recursive: true });
  await run(
    `COPY (SELECT unnest(from_json(?::JSON, '[${columns}]'), recursive := true)) TO ${quote(path)} (FORMAT parquet, COMPRESSION zstd)`,
    [JSON.stringify(rows)],
  );
}

/**
 * Copies every `step`-th row of a Parquet file, in its order.
 * @param {string} from
 * @param {string} to
 * @param {number} step
 * @returns {Promise<void>}
 */
export async function sampleParquet(from, to, step) {
  await mkdir(dirname(to), { recursive: true });
  await run(
    `COPY (SELECT * EXCLUDE (row_no) FROM (SELECT *, row_number() OVER () AS row_no FROM read_parquet(${quote(from)}))
       WHERE row_no % ${step} = 1 ORDER BY row_no) TO ${quote(to)} (FORMAT parquet, COMPRESSION zstd)`,
  );
}
