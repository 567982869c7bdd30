import type { JsonObject } from "../../contract/json.js";
import type { Database, SqlValue } from "../../duckdb/database.js";
import { nextTurn } from "../../next-turn.js";
import { columnNames, type TableRow } from "../../slice/column.js";
import { RECORD_COLUMNS, recordOfRow } from "../../slice/record-columns.js";
import { hashesOfRecord, hashOfVideo, REHASHED_RAW } from "../answered/answered-hashes.js";
import { filesOf, itemsOf, type KnownSlice, lostRoots, rowsOfSlices } from "./known-slice.js";

/** Rows hashed before the event loop turns. */
const ROWS_AT_ONCE = 250;

/** Where {@link findAnswered} looks. */
export interface AnsweredIn {
  readonly slices: readonly KnownSlice[];
  /** Whether the generation that answers come from is attached as `corpus`. */
  readonly hasCorpus: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Adds to `removed_records` and `removed_raw` what answers show with a hash of `hashes` and slices store with another: raw answers show
 * more than a record has, and values that are derived change a record. Hashes each record, 30 µs.
 * Returns the hashes that it finds.
 */
export async function findAnswered(
  db: Database,
  hashes: ReadonlySet<string>,
  { slices, hasCorpus, signal }: AnsweredIn,
): Promise<Set<string>> {
  const columns = columnNames(RECORD_COLUMNS);
  const ids: string[] = [];
  const known = new Set<string>();
  const take = (row: TableRow) => {
    const record = recordOfRow(row);
    const found = [record.prov.hash, ...hashesOfRecord(record)].filter((hash) => hashes.has(hash));
    if (found.length > 0) ids.push(record.id);
    for (const hash of found) known.add(hash);
  };
  const [files, lost] = [filesOf(slices, "records"), lostRoots(slices)];
  if (files.length > 0) await eachRow(db, `SELECT ${columns} FROM read_parquet(?)`, [files], take, signal);
  if (lost.length > 0)
    await eachRow(db, `SELECT ${columns} FROM ${rowsOfSlices("records", lost)}`, [], take, signal);
  if (hasCorpus) {
    const derived = `SELECT ${columns} FROM corpus.records WHERE prov_hash_given IS NOT NULL`;
    await eachRow(db, derived, [], take, signal);
  }
  await db.append(
    "removed_records",
    [...new Set(ids)].map((id) => [id]),
  );
  const { platform, resource } = REHASHED_RAW;
  const videos: string[] = [];
  await eachRow(
    db,
    `SELECT id, data FROM ${itemsOf(slices, "raw")} WHERE platform = ? AND resource = ?`,
    [platform, resource],
    ({ id, data }) => {
      const hash = hashOfVideo(JSON.parse(data as string) as JsonObject);
      if (hash === undefined || !hashes.has(hash)) return;
      videos.push(id as string);
      known.add(hash);
    },
    signal,
  );
  await db.append(
    "removed_raw",
    [...new Set(videos)].map((id) => [platform, resource, id]),
  );
  return known;
}

async function eachRow(
  db: Database,
  sql: string,
  params: readonly SqlValue[],
  take: (row: TableRow) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  for await (const batch of db.stream(sql, params, signal)) {
    for (const [i, row] of batch.entries()) {
      if (i % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await nextTurn();
      take(row);
    }
  }
}
