import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { RawItem } from "../../contract/slice/slice-item.js";
import { hashesOfRecord, hashOfVideo, REHASHED_RAW } from "../../store/answered/answered-hashes.js";
import { loadList } from "../committed-loads.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { ofCountingSlices } from "../superseded.js";
import { gone, HASH_OF_RAW, NOT_WORKS, type RemovalWork } from "./derive-keys.js";

/**
 * Adds the records and raw items that answers show with a removed hash and tables hold with another, as a lake in a folder does: raw answers
 * show more than a record has, and values that are derived change a record. An install looks at what it brings. Returns the
 * hashes that name nothing.
 */
export async function findAnsweredHashes(work: RemovalWork): Promise<ReadonlySet<string>> {
  const { connection, loads, by, signal } = work;
  const loaded = ofCountingSlices(loads);
  const given = gone(work, "hash", "id AS hash");
  const [count] = await connection.rows<[number]>(gone(work, "hash", "count()"), {}, signal);
  if (count![0] === 0) return new Set();
  const unknown = await connection.rows<[string]>(
    `SELECT hash FROM (${given}) WHERE hash GLOBAL NOT IN (SELECT content FROM records WHERE ${loaded} AND content GLOBAL IN (${given}))
      AND hash GLOBAL NOT IN (SELECT ${HASH_OF_RAW} FROM raw WHERE ${loaded} AND resource NOT IN (${NOT_WORKS})
        AND ${HASH_OF_RAW} GLOBAL IN (${given}))`,
    {},
    signal,
  );
  if (unknown.length === 0) return new Set();
  const hashes = new Set(unknown.map(([hash]) => hash));
  const unmatched = new Set(hashes);
  const some = loads.some(({ id }) => id === by) ? `${loaded} AND load = ${by}` : loaded;
  const records = new Set<string>();
  const take = (record: StoredRecord) => {
    const found = [record.prov.hash, ...hashesOfRecord(record)].filter((hash) => hashes.has(hash));
    if (found.length > 0) records.add(record.id);
    for (const hash of found) unmatched.delete(hash);
  };
  for await (const text of textsOf(work, "records", "record", some)) {
    take(JSON.parse(text) as StoredRecord);
  }
  for (const text of await shownRecords(work)) {
    take(JSON.parse(text) as StoredRecord);
  }
  const videos = new Set<string>();
  const { platform, resource } = REHASHED_RAW;
  const isVideo = `platform = '${platform}' AND resource = '${resource}'`;
  for await (const text of textsOf(work, "raw", "item", `${some} AND ${isVideo}`)) {
    const { id, data } = JSON.parse(text) as RawItem;
    const hash = hashOfVideo(data);
    if (hash === undefined || !hashes.has(hash)) continue;
    videos.add(id);
    unmatched.delete(hash);
  }
  await add(work, "record", "", "", records);
  await add(work, "raw", platform, resource, videos);
  return unmatched;
}

/** The texts of rows, some at a time: the rows of a load are stored in the order of their ordinals. */
async function* textsOf(
  { connection, signal }: RemovalWork,
  table: "records" | "raw",
  column: "record" | "item",
  some: string,
): AsyncGenerator<string> {
  const loads = await connection.rows<[number, number]>(
    `SELECT load, max(ordinal) FROM ${table} WHERE ${some} GROUP BY load ORDER BY load`,
    {},
    signal,
  );
  for (const [load, last] of loads) {
    for (let first = 0; first <= last; first += CLICKHOUSE_DEFAULTS.recordsAtOnce) {
      const end = first + CLICKHOUSE_DEFAULTS.recordsAtOnce;
      const rows = await connection.rows<[string]>(
        `SELECT ${column} FROM ${table} WHERE ${some} AND load = ${load} AND ordinal >= ${first} AND ordinal < ${end}`,
        {},
        signal,
      );
      for (const [text] of rows) yield text;
    }
  }
}

/** Records that are shown otherwise than they came, as they are shown now. */
async function shownRecords({ connection, version, loads, signal }: RemovalWork): Promise<string[]> {
  const order = version >= CLICKHOUSE_DEFAULTS.pricesVersion ? "turn" : "by";
  const rows = await connection.rows<[number, number, string]>(
    `SELECT load, ordinal, argMax(item, ${order}) FROM redactions WHERE kind = 'records' AND by IN (${loadList(loads)})
      GROUP BY load, ordinal`,
    {},
    signal,
  );
  return rows.map(([, , item]) => item);
}

async function add(
  { connection, by, atMs, reason, signal }: RemovalWork,
  kind: "record" | "raw",
  platform: string,
  resource: string,
  ids: ReadonlySet<string>,
): Promise<void> {
  if (ids.size === 0) return;
  await connection.run(
    `INSERT INTO removals (by, kind, platform, resource, id, derived, at_ms, reason)
      SELECT ${by}, '${kind}', '${platform}', '${resource}', arrayJoin({ids:Array(String)}), 1, ${atMs}, {reason:String}`,
    { reason, ids: [...ids] },
    signal,
  );
}
