import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { RawItem } from "../../contract/slice/slice-item.js";
import { withPriceChange } from "../../store/generation/price-changes.js";
import { redactRaw, redactRecord, redactSamples } from "../../store/removals/redact.js";
import { loadList } from "../committed-loads.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { RowBinaryWriter } from "../row-binary.js";
import { refuseOlder } from "../schema/schema-version.js";
import { ofCountingSlices } from "../superseded.js";
import { gone, NOT_WORKS, OWN_ID_OF, PLATFORM_OF, type RemovalWork, stemValues } from "./derive-keys.js";
import {
  hasPricePoints,
  PRODUCT_OF_RECORD,
  priceChangeOf,
  productKey,
  readPoints,
  touchedPrices,
} from "./price-changes.js";

/** Columns of `redactions` in the order in which they are written; the last two from version 7 on. */
const COLUMNS = ["by", "kind", "load", "ordinal", "item", "priced", "drop", "turn", "quotes"];

/** How an item is shown. */
interface Shown {
  readonly kind: "records" | "raw";
  readonly load: number;
  readonly ordinal: number;
  readonly item: string;
  /** Its change of price where that is another than it came with; null: none. */
  readonly drop?: number | null;
  /** Whether quotes were taken out. */
  readonly quotes: boolean;
}

/**
 * Stores how items are shown after a change of the lake: without quotes of what was removed, and with the changes of prices that the
 * price points give. Returns how many of them lost quotes.
 * @throws LakeError `cluster_older_format` for prices that an install changes in tables which cannot say so
 */
export async function redactRows(work: RemovalWork): Promise<number> {
  const isOrdered = work.version >= CLICKHOUSE_DEFAULTS.pricesVersion;
  const columns = isOrdered ? COLUMNS : COLUMNS.slice(0, -2);
  let [turn, quoting] = [0, 0];
  for await (const shown of shownOtherwise(work)) {
    if (shown.length === 0) continue;
    if (isOrdered && turn === 0) turn = await nextTurn(work);
    const writer = new RowBinaryWriter();
    for (const { kind, load, ordinal, item, drop, quotes } of shown) {
      writer.uint64(work.by).word(kind).uint64(load).uint32(ordinal).text(item);
      writer.uint8(drop === undefined ? 0 : 1).nullable(drop, (value) => writer.float64(value));
      if (isOrdered) writer.uint64(turn).uint8(quotes ? 1 : 0);
      if (quotes) quoting += 1;
    }
    await work.connection.insert("redactions", columns, [writer.take()], { signal: work.signal });
  }
  return quoting;
}

/** A number after those of all changes that are visible: an install may have begun before some of them. */
async function nextTurn({ connection, loads, by, signal }: RemovalWork): Promise<number> {
  const sql = `SELECT max(turn) FROM redactions WHERE by IN (${loadList(loads)})`;
  const [row] = await connection.rows<[number]>(sql, {}, signal);
  return loads.reduce((last, { id }) => Math.max(last, id), Math.max(row![0], by)) + 1;
}

async function* shownOtherwise(work: RemovalWork): AsyncGenerator<readonly Shown[]> {
  const { quotes, areTouched } = await quotesOfRecords(work);
  const touched = await touchedRecords(work, areTouched);
  if (touched !== undefined) {
    const { connection, signal } = work;
    const [counted] = await connection.rows<[number]>(
      `SELECT count() FROM records WHERE ${touched}`,
      {},
      signal,
    );
    const parts = Math.ceil(counted![0] / CLICKHOUSE_DEFAULTS.shownAtOnce);
    for (let part = 0; part < parts; part += 1)
      yield await shownRecords(work, `${touched} AND cityHash64(id) % ${parts} = ${part}`, quotes);
  }
  if (areTouched) yield await shownRaw(work, quotes);
}

/** The records of a part that are shown otherwise than until now. @param some SQL of the records to look at */
async function shownRecords(work: RemovalWork, some: string, quotes: Quotes): Promise<Shown[]> {
  const { connection, version, loads, by, signal } = work;
  const order = version >= CLICKHOUSE_DEFAULTS.pricesVersion ? "turn" : "by";
  const rows = await connection.rows<[number, number, string, string]>(
    `SELECT load, ordinal, record, content FROM records WHERE ${some} ORDER BY load, ordinal`,
    {},
    signal,
  );
  const until = await connection.rows<[number, number, string]>(
    `SELECT load, ordinal, argMax(item, ${order}) FROM redactions WHERE kind = 'records' AND by IN (${loadList(loads)})
      AND (load, ordinal) GLOBAL IN (SELECT load, ordinal FROM records WHERE ${some}) GROUP BY load, ordinal`,
    {},
    signal,
  );
  const shownUntil = new Map(until.map(([load, ordinal, item]) => [`${load}/${ordinal}`, item]));
  const points = await readPoints(work, `SELECT ${PRODUCT_OF_RECORD} FROM records WHERE ${some}`);
  return rows.flatMap(([load, ordinal, stored, content]): Shown[] => {
    const given = JSON.parse(stored) as StoredRecord;
    const change = priceChangeOf(
      given,
      content,
      points.get(productKey(given.platform, given.id.slice(8))) ?? [],
    );
    const priced = change === undefined ? given : withPriceChange(given, change);
    const redacted = redactSamples(priced as object as Record<string, unknown>, quotes.get(given.id) ?? NONE);
    const shown = redacted === undefined ? priced : redactRecord(priced, redacted);
    const item = JSON.stringify(shown);
    const before = shownUntil.get(`${load}/${ordinal}`) ?? stored;
    if (item === before) return [];
    const was = JSON.parse(before) as StoredRecord;
    if (shown.price?.drop_7d !== was.price?.drop_7d && loads.some(({ id }) => id === by))
      refuseOlder(version, CLICKHOUSE_DEFAULTS.pricesVersion);
    return [{ kind: "records", load, ordinal, item, drop: change?.drop, quotes: redacted !== undefined }];
  });
}

async function shownRaw(work: RemovalWork, quotes: Quotes): Promise<Shown[]> {
  return (await touchedRaw(work)).flatMap(([load, ordinal, stored, record]): Shown[] => {
    const given = JSON.parse(stored) as RawItem;
    const redacted = redactSamples(given.data, quotes.get(record) ?? NONE);
    if (redacted === undefined) return [];
    const item = JSON.stringify(redactRaw(given, redacted));
    return [{ kind: "raw", load, ordinal, item, quotes: true }];
  });
}

/** Digests of removed texts, by the records that may quote them. */
type Quotes = ReadonlyMap<string, ReadonlySet<string>>;
const NONE: ReadonlySet<string> = new Set();

/** SQL of the records whose quotes a change touches: those that it adds, and all of the load that it makes. */
function touchedQuotes(work: RemovalWork): string {
  const hasRows = work.loads.some(({ id }) => id === work.by);
  return `(id GLOBAL IN (${gone(work, "quote", "id", `by = ${work.by}`)})
    ${hasRows ? `OR (load = ${work.by} AND id GLOBAL IN (${gone(work, "quote", "id")}))` : ""})`;
}

/** Digests of the removed texts, by the records that may quote them, and whether the change touches any of these records. */
async function quotesOfRecords(
  work: RemovalWork,
): Promise<{ readonly quotes: Quotes; readonly areTouched: boolean }> {
  const { connection, loads, by } = work;
  const quotes = new Map<string, Set<string>>();
  const rows = await connection.rows<[string, string, number]>(gone(work, "quote", `id, sha256, by = ${by}`));
  for (const [id, digest] of rows) {
    const known = quotes.get(id);
    if (known === undefined) quotes.set(id, new Set([digest]));
    else known.add(digest);
  }
  const hasRows = loads.some((load) => load.id === by);
  return { quotes, areTouched: hasRows ? rows.length > 0 : rows.some(([, , isNew]) => isNew !== 0) };
}

/** Rows of `hidden` that a change, or one before it, removed. */
function removedRows({ loads, by }: RemovalWork, table: "records" | "raw"): string {
  return `SELECT load, ordinal FROM hidden WHERE kind = '${table}' AND removed = 1 AND by IN (${loadList(loads)}, ${by})`;
}

/** SQL of the records that may be shown otherwise; undefined for none. */
async function touchedRecords(work: RemovalWork, quotes: boolean): Promise<string | undefined> {
  const touched = [
    ...(quotes ? [touchedQuotes(work)] : []),
    ...((await hasPricePoints(work)) ? [touchedPrices(work)] : []),
  ];
  if (touched.length === 0) return undefined;
  return `${ofCountingSlices(work.loads)} AND (${touched.join(" OR ")})
    AND (load, ordinal) GLOBAL NOT IN (${removedRows(work, "records")})`;
}

/** Raw items whose samples may quote what was removed, and the records of the same things. */
async function touchedRaw(work: RemovalWork): Promise<[number, number, string, string][]> {
  const { connection, loads, by, signal } = work;
  const hasRows = loads.some(({ id }) => id === by);
  const things = (more: string) =>
    `SELECT ${PLATFORM_OF("record")}, ${OWN_ID_OF("record")} FROM (${gone(work, "quote", "id AS record", more)})`;
  const key = "(platform, id) GLOBAL IN";
  const rows = await connection.rows<[number, number, string, string, string]>(
    `SELECT load, ordinal, item, platform, id FROM raw WHERE load IN (${loadList(loads)}) AND resource NOT IN (${NOT_WORKS})
      AND (${key} (${things(`by = ${by}`)}) ${hasRows ? `OR (load = ${by} AND ${key} (${things("1")}))` : ""})
      AND (load, ordinal) GLOBAL NOT IN (${removedRows(work, "raw")}) ORDER BY load, ordinal`,
    stemValues(loads),
    signal,
  );
  const { slugs, stems } = stemValues(loads) as { slugs: string[]; stems: string[] };
  const stemOf = new Map(slugs.map((slug, i) => [slug, stems[i]!]));
  return rows.map(([load, ordinal, item, platform, id]) => [
    load,
    ordinal,
    item,
    `${stemOf.get(platform)}${id}`,
  ]);
}
