import { drop7d } from "../../contract/price-change.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import { recordHash } from "../../slice/record-hash.js";
import { type Point, type PriceChange, seriesOf, withDrop } from "../../store/generation/price-changes.js";
import { installsOf, loadList } from "../committed-loads.js";
import { newlySuperseded } from "../load/replaced-rows.js";
import { hiddenRows } from "../query/hidden-rows.js";
import { ofCountingSlices, rootList } from "../superseded.js";
import { OWN_ID_OF, type RemovalWork } from "./derive-keys.js";

/** Price points of a product as they are read: time, and of their data place, currency and price as JSON; oldest first. */
export type StoredPoints = readonly (readonly [
  ms: number,
  id: string,
  location: string,
  currency: string,
  current: string,
])[];

/** SQL of the key by which records and price points of a product are joined. */
export const PRODUCT_OF_RECORD = `platform, ${OWN_ID_OF("id")}`;
const POINTS = "resource = 'price' AND parent IS NOT NULL";

/**
 * SQL of the records whose change of price a change of the lake may touch: those of products that lose or get a point, and the records
 * that it brings or brings back, since they were prepared without the points of others.
 */
export function touchedPrices(work: RemovalWork): string {
  const { loads, by } = work;
  const counting = ofCountingSlices(loads);
  const made = installsOf(loads).find(({ id }) => id === by);
  const turned = (kind: "records" | "raw") =>
    `(load, ordinal) GLOBAL IN (SELECT load, ordinal FROM hidden WHERE kind = '${kind}' AND by = ${by})`;
  const product = "SELECT platform, assumeNotNull(parent) FROM raw WHERE";
  const changed = [`${product} load IN (${loadList(loads)}) AND ${POINTS} AND ${turned("raw")}`];
  if (made === undefined) return `(${PRODUCT_OF_RECORD}) GLOBAL IN (${changed[0]})`;
  const before = loads.filter(({ id }) => id !== by);
  const superseded = newlySuperseded({ before, made });
  changed.push(`${product} load = ${by} AND ${POINTS}`);
  if (superseded.length > 0)
    changed.push(
      `${product} load IN (${loadList(before)}) AND ${POINTS} AND root IN (${rootList(superseded)})`,
    );
  return `((${PRODUCT_OF_RECORD}) GLOBAL IN (${changed.join(" UNION ALL ")})
    OR ((load = ${by} OR ${turned("records")}) AND (${PRODUCT_OF_RECORD}) GLOBAL IN (${product} ${counting} AND ${POINTS})))`;
}

/** Whether some loads have any price points. */
export async function hasPricePoints({
  connection,
  loads,
  signal,
}: Pick<RemovalWork, "connection" | "loads" | "signal">): Promise<boolean> {
  const sql = `SELECT count() FROM (SELECT 1 FROM raw WHERE load IN (${loadList(loads)}) AND ${POINTS} LIMIT 1)`;
  const [row] = await connection.rows<[number]>(sql, {}, signal);
  return row![0] > 0;
}

/** The price points of products that are shown, by {@link productKey}. @param products SQL of platform and own id */
export async function readPoints(work: RemovalWork, products: string): Promise<Map<string, StoredPoints>> {
  const { connection, loads, by, signal } = work;
  const hidden = hiddenRows("raw", loads, { removing: [{ id: by }] });
  const data = (key: string) => `JSONExtractRaw(item, 'data', '${key}')`;
  const rows = await connection.rows<[string, string, StoredPoints]>(
    `SELECT platform, assumeNotNull(parent) AS own, arraySort(groupArray((coalesce(created_ms, captured_ms), id,
        ${data("location")}, ${data("currency")}, ${data("current")})))
      FROM raw WHERE ${ofCountingSlices(loads)} AND ${POINTS} AND (platform, assumeNotNull(parent)) GLOBAL IN (${products})
        AND (load, ordinal) GLOBAL NOT IN (${hidden})
      GROUP BY platform, own`,
    {},
    signal,
  );
  return new Map(rows.map(([platform, own, points]) => [productKey(platform, own), points]));
}

/** The key of a product. */
export function productKey(platform: string, own: string): string {
  return `${platform}/${own}`;
}

/** How the price of a record changed by the price points of the lake; undefined if that is what the record says. */
export function priceChangeOf(
  record: StoredRecord,
  givenHash: string,
  stored: StoredPoints,
): PriceChange | undefined {
  const { price } = record;
  // What the source said stands: only a derived change gave the record another hash.
  if (price === undefined || (price.drop_7d !== undefined && record.prov.hash === givenHash))
    return undefined;
  const until = Date.parse(record.prov.ts);
  const points = stored.flatMap(([ms, , location, currency, current]): Point[] => {
    const value = textOf(current);
    const amount = value === null || value.trim() === "" ? Number.NaN : Number(value);
    if (ms > until || textOf(currency) !== price.currency || Number.isNaN(amount)) return [];
    return [{ location: textOf(location), time: { ms, price: amount } }];
  });
  const place = record.extra?.location;
  const drop =
    points.length === 0
      ? null
      : (drop7d(seriesOf(points, place === undefined ? null : textOf(JSON.stringify(place)))) ?? null);
  if (drop === (price.drop_7d ?? null)) return undefined;
  const { prov: _, ...bare } = withDrop(record, drop);
  return { row: 0, drop, hash: drop === null ? givenHash : recordHash(bare) };
}

/** A text of JSON, or a number of it as text; null for anything else, and for nothing. */
function textOf(json: string): string | null {
  const value: unknown = json === "" ? null : JSON.parse(json);
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : null;
}
