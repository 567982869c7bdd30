import { createHash } from "node:crypto";
import type { ItemPlace } from "../contract/slice/slice-item.js";
import type { SqlValue } from "../duckdb/database.js";
import type { SortLimits } from "../duckdb/sort-ranges.js";
import type { TableRow } from "../slice/column.js";
import { RAW_COLUMNS } from "../slice/raw-columns.js";
import { RECORD_COLUMNS } from "../slice/record-columns.js";
import { STAGING_DEFAULTS } from "./defaults.js";
import { PLACE, PLACE_COLUMNS, type PlaceCells, placeCells } from "./item-places.js";
import { inSmallerSorts, sortLimits, stagedRanges } from "./partition.js";
import type { Staging } from "./staging.js";

/** A dropped item: another item of the input has the same key and is kept. */
export interface DuplicateItem {
  readonly kind: "record" | "raw";
  /** Record id, or `platform/resource/id`. */
  readonly id: string;
  /** True if both had the same content; false if the contents differ, so that the dropped one is a reject. */
  readonly identical: boolean;
  readonly reason: string;
  /** Places of the dropped item and of the one that is kept instead, where they were given. */
  readonly at: ItemPlace | undefined;
  readonly kept: ItemPlace | undefined;
}

interface Candidate {
  readonly seq: number;
  readonly capturedMs: number;
  /** The item's content, without capture data. */
  readonly content: string;
  /** The capture data, as a tie-breaker, so that the choice never depends on the order of arrival. */
  readonly rest: string;
  readonly at: ItemPlace | undefined;
  /** The cells of `at`. */
  readonly place: PlaceCells;
}

type OnDuplicate = ((duplicate: DuplicateItem) => void) | undefined;

/** Columns by which items are compared, in a fixed order: a staged table has those that are filled, in the order of arrival. */
interface Compared {
  readonly content: readonly string[];
  readonly capture: readonly string[];
}

const RECORD = compared(RECORD_COLUMNS, ["prov_hash", "prov_ts", "prov_ts_ms", "prov_source"]);
const RAW = compared(RAW_COLUMNS, ["captured_at", "captured_ms"]);

/**
 * Keeps one of the staged items per key: the latest capture, and among equal captures the one whose content is greatest as text.
 * Deletes the others and calls `onDuplicate` with each, in the order of keys.
 * @returns the number of places none of whose items is left, of those that had an item which is no mere repetition; an item without a
 * place counts as one
 * @param most of a sort; the result does not depend on it
 * @throws DatabaseError; the signal's reason when aborted
 */
export async function dropDuplicates(
  staging: Staging,
  onDuplicate: OnDuplicate,
  signal?: AbortSignal,
  most: SortLimits = STAGING_DEFAULTS,
): Promise<number> {
  const limits = sortLimits(staging, most);
  await staging.db.run(`CREATE TABLE lost (${PLACE_COLUMNS})`);
  await dropFrom(staging, "records", ["id"], onDuplicate, signal, limits, (row) => {
    const vector = row.source_row === null ? "" : vectorDigest(staging, row.source_row as number);
    return candidate(staging, row, row.prov_ts_ms as number, RECORD, vector);
  });
  await dropFrom(staging, "raw", ["platform", "resource", "id"], onDuplicate, signal, limits, (row) =>
    candidate(staging, row, row.captured_ms as number, RAW, ""),
  );
  const rows = await lostRows(staging);
  await staging.db.run("DROP TABLE lost");
  return rows;
}

/** Places of lost items of which no item is left, and lost items without a place. */
async function lostRows({ db }: Staging): Promise<number> {
  const [{ lost } = { lost: 0 }] = await db.rows<{ lost: number }>("SELECT count(*) AS lost FROM lost");
  if (lost === 0) return 0;
  const [{ left } = { left: 0 }] = await db.rows<{ left: number }>(
    `SELECT count(DISTINCT (${PLACE})) AS left FROM (
       SELECT ${PLACE} FROM records UNION ALL SELECT ${PLACE} FROM raw
     ) SEMI JOIN lost USING (${PLACE})`,
  );
  return lost - left;
}

async function dropFrom(
  staging: Staging,
  table: "records" | "raw",
  key: readonly string[],
  onDuplicate: OnDuplicate,
  signal: AbortSignal | undefined,
  limits: SortLimits | undefined,
  takeCandidate: (row: TableRow) => Candidate,
): Promise<void> {
  if (!staging.keys[table].mayRepeat) return;
  const { db } = staging;
  const keys = key.join(", ");
  await db.run(`CREATE TABLE repeated AS SELECT ${keys} FROM ${table} GROUP BY ${keys} HAVING count(*) > 1`);
  await db.run(`CREATE TABLE dropped (seq BIGINT, is_lost BOOLEAN, ${PLACE_COLUMNS})`);
  const from = `${table} SEMI JOIN repeated USING (${keys})`;
  const order = [...key, "seq"];
  let read = 0;
  let current = "";
  let best: Candidate | undefined;
  let dropped: SqlValue[][] = [];
  await inSmallerSorts(staging, limits, async (within) => {
    // A second thread would sort as many rows more in memory at once.
    if (within !== undefined) await db.set({ threads: 1 });
    // Smaller sorts give the same rows in the same order: those that were read of the larger ones are passed over.
    let passed = 0;
    for (const { where, values } of await stagedRanges(staging, within, { rows: table, from, keys: order })) {
      const rows = db.stream(`SELECT * FROM ${from} ${where} ORDER BY ${order.join(", ")}`, values, signal);
      for await (const batch of rows) {
        for (const row of batch) {
          if (passed++ < read) continue;
          read++;
          const id = key.map((name) => row[name]).join("/");
          const next = takeCandidate(staging.whole(row));
          if (best === undefined || id !== current) {
            [current, best] = [id, next];
            continue;
          }
          const [kept, other] = precedes(next, best) ? [next, best] : [best, next];
          const report = duplicate(table === "raw" ? "raw" : "record", id, kept, other);
          onDuplicate?.(report);
          dropped.push([other.seq, !report.identical, ...other.place]);
          best = kept;
        }
        await db.append("dropped", dropped);
        dropped = [];
      }
    }
  });
  await db.run(`DELETE FROM ${table} WHERE seq IN (SELECT seq FROM dropped)`);
  await db.run(`INSERT INTO lost SELECT ${PLACE} FROM dropped WHERE is_lost AND at_file IS NULL`);
  await db.run(
    `INSERT INTO lost SELECT DISTINCT ${PLACE} FROM dropped ANTI JOIN lost USING (${PLACE})
     WHERE is_lost AND at_file IS NOT NULL`,
  );
  await db.run("DROP TABLE dropped");
  await db.run("DROP TABLE repeated");
}

function candidate(
  staging: Staging,
  row: TableRow,
  capturedMs: number,
  { content, capture }: Compared,
  vector: string,
): Candidate {
  const entriesOf = (names: readonly string[]) => names.map((name) => [name, row[name] ?? null]);
  return {
    seq: row.seq as number,
    capturedMs,
    content: JSON.stringify([entriesOf(content), vector]),
    rest: JSON.stringify(entriesOf(capture)),
    at: staging.placeOf(row),
    place: placeCells(row),
  };
}

function compared(columns: readonly { readonly name: string }[], capture: readonly string[]): Compared {
  const names = columns.map(({ name }) => name);
  return { content: names.filter((name) => !capture.includes(name)), capture };
}

function precedes(a: Candidate, b: Candidate): boolean {
  if (a.capturedMs !== b.capturedMs) return a.capturedMs > b.capturedMs;
  if (a.content !== b.content) return a.content > b.content;
  return a.rest > b.rest;
}

function duplicate(kind: "record" | "raw", id: string, kept: Candidate, other: Candidate): DuplicateItem {
  const identical = kept.content === other.content;
  const when = kept.capturedMs === other.capturedMs ? "at the same time" : "later";
  return {
    kind,
    id,
    identical,
    reason: identical ? "the same item again" : `another item with this id, captured ${when}, is kept`,
    at: other.at,
    kept: kept.at,
  };
}

function vectorDigest(staging: Staging, sourceRow: number): string {
  return createHash("sha256").update(staging.vector(sourceRow)).digest("hex");
}
