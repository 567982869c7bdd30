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

/** Computes the digests of a load from what the server, or all shards, have of it: by one statement. */
export async function loadDigests(
  connection: Connection,
  load: number,
  signal?: AbortSignal,
): Promise<LoadDigests> {
  return digestsOf(connection, await loadedTables(connection), load, signal);
}

/**
 * The digests of a load whose vectors of an embedder that was refitted came after the others were computed.
 * @param digests of its other rows, which stay as they are
 */
export async function withRefitted(
  connection: Connection,
  load: number,
  { refitted: _, ...digests }: LoadDigests,
  signal?: AbortSignal,
): Promise<LoadDigests> {
  return { ...digests, ...(await digestsOf(connection, ["refitted"], load, signal)) };
}

async function digestsOf(
  connection: Connection,
  tables: readonly LoadedTable[],
  load: number,
  signal: AbortSignal | undefined,
): Promise<LoadDigests> {
  const each = tables.map(
    (table) => `SELECT '${table}', ${digestOf(table)} FROM ${table} WHERE ${loadColumn(table)} = ${load}`,
  );
  const rows = await connection.rows<[LoadedTable, number, string]>(each.join(" UNION ALL "), {}, signal);
  const digests = rows.map(([table, rows, digest]) => [table, { rows, digest }] as const);
  // Programs of before do not know the table `refitted`.
  return Object.fromEntries(digests.filter(([table, { rows }]) => table !== "refitted" || rows > 0));
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
