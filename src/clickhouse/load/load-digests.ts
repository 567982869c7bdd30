import { LakeError } from "../../contract/errors.js";
import type { Connection } from "../connection.js";
import { type LoadedTable, loadColumn, loadedTables, ORDER_KEYS } from "../schema/schema.js";
import type { LoadDigests } from "./load-digests-schema.js";
import { OWN_VECTOR_COLUMNS } from "./own-vector-rows.js";
import { POSTING_COLUMNS } from "./posting-rows.js";
import { RAW_ROW_COLUMNS } from "./raw-rows.js";
import { RECORD_ROW_COLUMNS } from "./record-rows.js";
import { GIVEN_VECTOR_COLUMNS, REFITTED_COLUMNS, VECTOR_COLUMNS } from "./vector-rows.js";

/** Columns of the tables that have rows of loads, in the order in which they are hashed. */
const COLUMNS: Readonly<Record<LoadedTable, readonly string[]>> = {
  records: RECORD_ROW_COLUMNS,
  raw: RAW_ROW_COLUMNS,
  postings: POSTING_COLUMNS,
  vectors: VECTOR_COLUMNS,
  given_vectors: GIVEN_VECTOR_COLUMNS,
  own_vectors: OWN_VECTOR_COLUMNS,
  refitted: REFITTED_COLUMNS,
};

/** Columns that may be without a value: the hash of any argument that is none would be none. */
const NULL_TEXTS = new Set(["parent", "reply_to", "author"]);
const NULL_NUMBERS = new Set(["created_ms", "offset_s", ...ORDER_KEYS.map((key) => `by_${key}`)]);

/** SQL of a column's part of a hash. */
function hashed(column: string): string {
  if (NULL_TEXTS.has(column)) return `isNull(${column}), ifNull(${column}, '')`;
  return NULL_NUMBERS.has(column) ? `isNull(${column}), ifNull(${column}, 0)` : column;
}

/** SQL of the number of rows of a table and of their digest. */
export function digestOf(table: LoadedTable): string {
  return `count(), toString(sum(sipHash64(${COLUMNS[table].map(hashed).join(", ")})))`;
}

/** Computes the digests of a load from what the server, or all shards, have of it. */
export async function loadDigests(
  connection: Connection,
  load: number,
  signal?: AbortSignal,
): Promise<LoadDigests> {
  const digests: Partial<Record<LoadedTable, { rows: number; digest: string }>> = {};
  for (const table of await loadedTables(connection)) {
    const [row] = await connection.rows<[number, string]>(
      `SELECT ${digestOf(table)} FROM ${table} WHERE ${loadColumn(table)} = ${load}`,
      {},
      signal,
    );
    // Programs of before do not know the table.
    if (table !== "refitted" || row![0] > 0) digests[table] = { rows: row![0], digest: row![1] };
  }
  return digests;
}

/** Refuses a load of which the server has not all rows. @throws LakeError `cluster_damaged` */
export function refusePart(
  { records, raw }: LoadDigests,
  sent: { readonly records: number; readonly raw: number },
): void {
  if (records?.rows === sent.records && raw?.rows === sent.raw) return;
  const found = `${records?.rows} of ${sent.records} records and ${raw?.rows} of ${sent.raw} raw items`;
  throw new LakeError("cluster_damaged", `ClickHouse has ${found} of what was sent`, {
    value: found,
    remedy: "Install the slices again: nothing of this install is visible.",
  });
}
