import type { Database } from "../../duckdb/database.js";
import { quoteName } from "../../duckdb/quote-sql.js";
import type { Column } from "../../slice/column.js";
import { RAW_COLUMNS } from "../../slice/raw-columns.js";
import { RECORD_COLUMNS, VECTOR_ROW } from "../../slice/record-columns.js";

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
