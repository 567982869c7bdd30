import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { RawItem } from "../../contract/slice/slice-item.js";
import { hashesOfRecord, hashOfVideo, REHASHED_RAW } from "../../store/answered/answered-hashes.js";
import { loadList } from "../committed-loads.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { ofCountingSlices, supersededRoots } from "../superseded.js";
import { gone, HASH_OF_RAW, NOT_WORKS, type RemovalWork } from "./derive-keys.js";
import { ORIGINS, sendKeys } from "./send-keys.js";

/**
 * Adds the records and raw items that answers show with a removed hash and tables hold with another, as a lake in a folder does: raw answers
 * show more than a record has, and values that are derived change a record. A hash is looked for in all texts once, by the removal that notes
 * it as sought; an install looks at what it brings. Returns the hashes of the change that name nothing.
 */
export async function findAnsweredHashes(work: RemovalWork): Promise<ReadonlySet<string>> {
  const { loads, by } = work;
  const given = await hashesToFind(work);
  const [fresh, all] = [new Set(given.fresh), new Set([...given.fresh, ...given.sought])];
  if (all.size === 0) return fresh;
  const isInstall = loads.some(({ id }) => id === by);
  const unmatched = new Set(fresh);
  const found = { records: new Set<string>(), videos: new Set<string>() };
  const take = (hashes: ReadonlySet<string>, shown: readonly (string | undefined)[], to: () => void) => {
    const named = shown.filter((hash) => hash !== undefined && hashes.has(hash)) as string[];
    if (named.length > 0) to();
    for (const hash of named) unmatched.delete(hash);
  };
  const takeRecord = (hashes: ReadonlySet<string>, text: string) => {
    const record = JSON.parse(text) as StoredRecord;
    take(hashes, [record.prov.hash, ...hashesOfRecord(record)], () => found.records.add(record.id));
  };
  const { platform, resource } = REHASHED_RAW;
  const sought = isInstall ? all : fresh;
  if (sought.size > 0) {
    const some = isInstall ? `${ofCountingSlices(loads)} AND load = ${by}` : ofCountingSlices(loads);
    for await (const text of textsOf(work, "records", "record", some)) takeRecord(sought, text);
    const videos = `${some} AND platform = '${platform}' AND resource = '${resource}'`;
    for await (const text of textsOf(work, "raw", "item", videos)) {
      const { id, data } = JSON.parse(text) as RawItem;
      take(sought, [hashOfVideo(data)], () => found.videos.add(id));
    }
  }
  for (const text of await shownRecords(work, fresh.size === 0)) takeRecord(all, text);
  const none = { platform: "", resource: "" };
  await sendKeys(work, [
    ...Array.from(found.records, (id) => ({ ...none, kind: "record", id, origin: "derived" }) as const),
    ...Array.from(
      found.videos,
      (id) => ({ kind: "raw", platform, resource, id, origin: "derived" }) as const,
    ),
    ...(isInstall
      ? []
      : Array.from(fresh, (id) => ({ ...none, kind: "hash", id, origin: "sought" }) as const)),
  ]);
  return unmatched;
}

/** The removed hashes to look for. */
interface HashesToFind {
  /** Those that were looked for: an install looks for them in what it brings. */
  readonly sought: readonly string[];
  /** Others that no row of a counting slice has. */
  readonly fresh: readonly string[];
}

async function hashesToFind(work: RemovalWork): Promise<HashesToFind> {
  const { connection, loads, by, signal } = work;
  const isOpen = `max(derived) < ${ORIGINS.sought} AND ${mayBeUnknown(work) ? "1" : `max(by) = ${by}`}`;
  const known = `(${gone(work, "hash", "id AS hash, derived, by")}) GROUP BY hash`;
  const hashes = await connection.rows<[string, number, number]>(
    `SELECT hash, max(derived) = ${ORIGINS.sought}, ${isOpen} FROM ${known}`,
    {},
    signal,
  );
  const sought = hashes.flatMap(([hash, isSought]) => (isSought === 1 ? [hash] : []));
  if (!hashes.some(([, , open]) => open === 1)) return { sought, fresh: [] };
  const loaded = ofCountingSlices(loads);
  const given = `SELECT hash FROM ${known} HAVING ${isOpen}`;
  const fresh = await connection.rows<[string]>(
    `SELECT hash FROM (${given}) WHERE hash GLOBAL NOT IN (SELECT content FROM records WHERE ${loaded} AND content GLOBAL IN (${given}))
      AND hash GLOBAL NOT IN (SELECT ${HASH_OF_RAW} FROM raw WHERE ${loaded} AND resource NOT IN (${NOT_WORKS})
        AND ${HASH_OF_RAW} GLOBAL IN (${given}))`,
    {},
    signal,
  );
  return { sought, fresh: fresh.map(([hash]) => hash) };
}

/** Whether hashes that were removed before, and had rows then, may have none now: a revision took them away. */
function mayBeUnknown({ loads, by }: RemovalWork): boolean {
  return loads.some(({ id }) => id === by) || supersededRoots(loads).size > 0;
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

/**
 * Records that are shown otherwise than they came, as they are shown now.
 * @param newest only those of the last change that showed any otherwise: the changes after the others looked at theirs
 */
async function shownRecords(
  { connection, version, loads, signal }: RemovalWork,
  newest: boolean,
): Promise<string[]> {
  const isOrdered = version >= CLICKHOUSE_DEFAULTS.pricesVersion;
  const shown = `FROM redactions WHERE kind = 'records' AND by IN (${loadList(loads)})`;
  const rows = await connection.rows<[number, number, string]>(
    `SELECT load, ordinal, argMax(item, ${isOrdered ? "turn" : "by"}) ${shown}
      ${newest && isOrdered ? `AND turn = (SELECT max(turn) ${shown})` : ""} GROUP BY load, ordinal`,
    {},
    signal,
  );
  return rows.map(([, , item]) => item);
}
