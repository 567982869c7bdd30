import { drop7d } from "../../contract/price-change.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { RawItem } from "../../contract/slice/slice-item.js";
import { recordHash } from "../../slice/record-hash.js";
import {
  type Point,
  type PriceChange,
  seriesOf,
  withDrop,
  withPriceChange,
} from "../../store/generation/price-changes.js";
import { redactRaw, redactRecord, redactSamples } from "../../store/removals/redact.js";
import { loadList } from "../committed-loads.js";
import { hiddenRows } from "../query/hidden-rows.js";
import { RowBinaryWriter } from "../row-binary.js";
import { ofCountingSlices } from "../superseded.js";
import { gone, NOT_WORKS, OWN_ID_OF, PLATFORM_OF, type RemovalWork, stemValues } from "./derive-keys.js";

/** Columns of `redactions` in the order in which they are written. */
const COLUMNS = ["by", "kind", "load", "ordinal", "item", "priced", "drop"];

/**
 * Stores how items are shown after a change of the removals: without quotes of what was removed, and with the changes of prices
 * that the remaining price points give.
 */
export async function redactRows(work: RemovalWork): Promise<void> {
  const writer = new RowBinaryWriter();
  const quotes = await quotesOfRecords(work);
  const add = (
    kind: "records" | "raw",
    load: number,
    ordinal: number,
    item: object,
    change?: PriceChange,
  ) => {
    writer.uint64(work.by).word(kind).uint64(load).uint32(ordinal).text(JSON.stringify(item));
    writer.uint8(change === undefined ? 0 : 1).nullable(change?.drop, (drop) => writer.float64(drop));
  };
  for (const [load, ordinal, stored, content] of await touchedRecords(work)) {
    const given = JSON.parse(stored) as StoredRecord;
    const change = await priceChangeOf(work, given, content);
    const priced = change === undefined ? given : withPriceChange(given, change);
    const redacted = redactSamples(priced as object as Record<string, unknown>, quotes.get(given.id) ?? NONE);
    if (change === undefined && redacted === undefined) continue;
    add("records", load, ordinal, redacted === undefined ? priced : redactRecord(priced, redacted), change);
  }
  for (const [load, ordinal, stored, record] of await touchedRaw(work)) {
    const given = JSON.parse(stored) as RawItem;
    const redacted = redactSamples(given.data, quotes.get(record) ?? NONE);
    if (redacted !== undefined) add("raw", load, ordinal, redactRaw(given, redacted));
  }
  await work.connection.insert("redactions", COLUMNS, [writer.take()], { signal: work.signal });
}

const NONE: ReadonlySet<string> = new Set();

/** SQL of the records whose quotes a change touches: those that it adds, and all of the load that it makes. */
function touchedQuotes(work: RemovalWork): string {
  const hasRows = work.loads.some(({ id }) => id === work.by);
  return `(id GLOBAL IN (${gone(work, "quote", "id", `by = ${work.by}`)})
    ${hasRows ? `OR (load = ${work.by} AND id GLOBAL IN (${gone(work, "quote", "id")}))` : ""})`;
}

/** Digests of the removed texts, by the records that may quote them. */
async function quotesOfRecords(work: RemovalWork): Promise<Map<string, Set<string>>> {
  const quotes = new Map<string, Set<string>>();
  const rows = await work.connection.rows<[string, string]>(gone(work, "quote", "id, sha256"));
  for (const [id, digest] of rows) {
    const known = quotes.get(id);
    if (known === undefined) quotes.set(id, new Set([digest]));
    else known.add(digest);
  }
  return quotes;
}

/** Rows of `hidden` that a change, or one before it, removed. */
function removedRows({ loads, by }: RemovalWork, table: "records" | "raw"): string {
  return `SELECT load, ordinal FROM hidden WHERE kind = '${table}' AND removed = 1 AND by IN (${loadList(loads)}, ${by})`;
}

/** Records that may be shown otherwise: their places, texts and given hashes. */
function touchedRecords(work: RemovalWork): Promise<[number, number, string, string][]> {
  const { connection, loads, by, signal } = work;
  const products = `SELECT platform, assumeNotNull(parent) FROM raw WHERE load IN (${loadList(loads)}) AND resource = 'price'
    AND parent IS NOT NULL AND (load, ordinal) GLOBAL IN (SELECT load, ordinal FROM hidden WHERE kind = 'raw' AND removed = 1 AND by = ${by})`;
  return connection.rows(
    `SELECT load, ordinal, record, content FROM records WHERE load IN (${loadList(loads)})
      AND (${touchedQuotes(work)} OR (platform, ${OWN_ID_OF("id")}) GLOBAL IN (${products}))
      AND (load, ordinal) GLOBAL NOT IN (${removedRows(work, "records")}) ORDER BY load, ordinal`,
    {},
    signal,
  );
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

/** How the price of a record changed by the price points that are left; undefined if that is what the record says. */
async function priceChangeOf(
  work: RemovalWork,
  record: StoredRecord,
  givenHash: string,
): Promise<PriceChange | undefined> {
  const { price } = record;
  // What the source said stands: only a derived change gave the record another hash.
  if (price === undefined || (price.drop_7d !== undefined && record.prov.hash === givenHash))
    return undefined;
  const points = await pointsOf(work, record, price.currency);
  const place = textOf(record.extra?.location);
  const drop = points.length === 0 ? null : (drop7d(seriesOf(points, place)) ?? null);
  if (drop === (price.drop_7d ?? null)) return undefined;
  const { prov: _, ...bare } = withDrop(record, drop);
  return { row: 0, drop, hash: recordHash(bare) };
}

/** The price points of a record that are left, oldest first. */
async function pointsOf(work: RemovalWork, record: StoredRecord, currency: string): Promise<Point[]> {
  const { connection, loads, signal } = work;
  const hidden = hiddenRows("raw", loads, { removing: [{ id: work.by }] });
  const rows = await connection.rows<[number, string]>(
    `SELECT coalesce(created_ms, captured_ms) AS ms, item FROM raw WHERE ${ofCountingSlices(loads)} AND resource = 'price'
      AND platform = {platform:String} AND parent = {parent:String} AND ms <= {ms:Int64}
      AND (load, ordinal) GLOBAL NOT IN (${hidden})
      ORDER BY ms, id`,
    { platform: record.platform, parent: record.id.slice(8), ms: Date.parse(record.prov.ts) },
    signal,
  );
  return rows.flatMap(([ms, text]): Point[] => {
    const { data } = JSON.parse(text) as RawItem;
    const price = textOf(data.current) === null ? Number.NaN : Number(textOf(data.current));
    if (textOf(data.currency) !== currency || Number.isNaN(price)) return [];
    return [{ location: textOf(data.location), time: { ms, price } }];
  });
}

function textOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : null;
}
