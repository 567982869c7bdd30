import { drop7d } from "../../contract/price-change.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { RawItem } from "../../contract/slice/slice-item.js";
import { recordHash } from "../../slice/record-hash.js";
import { type Point, seriesOf, withDrop } from "../generation/price-changes.js";
import { compareBytes } from "../raw-pages.js";

/** The records with `price.drop_7d` derived from price points where the source says nothing; see `findPriceChanges`. */
export function withDerivedDrops(records: readonly StoredRecord[], raw: readonly RawItem[]): StoredRecord[] {
  const products = new Map<string, RawItem[]>();
  for (const item of raw) {
    if (item.resource !== "price" || item.parent === undefined) continue;
    const product = `${item.platform}/${item.parent}`;
    products.set(product, [...(products.get(product) ?? []), item]);
  }
  return records.map((record) => {
    const own = record.id.split("_").slice(2).join("_");
    const points = products.get(`${record.platform}/${own}`);
    return points === undefined ? record : withDerivedDrop(record, points);
  });
}

function withDerivedDrop(record: StoredRecord, points: readonly RawItem[]): StoredRecord {
  const { price, prov, extra } = record;
  if (price === undefined || price.drop_7d !== undefined) return record;
  const captured = Date.parse(prov.ts);
  const series = points
    .filter((point) => instantOf(point) <= captured)
    .filter(({ data }) => data.currency === price.currency && typeof data.current === "number")
    .sort((a, b) => instantOf(a) - instantOf(b) || compareBytes(a.id, b.id))
    .map(
      (point): Point => ({
        location: typeof point.data.location === "string" ? point.data.location : null,
        time: { ms: instantOf(point), price: point.data.current as number },
      }),
    );
  if (series.length === 0) return record;
  const location = (extra as Readonly<Record<string, unknown>> | undefined)?.location;
  const drop = drop7d(seriesOf(series, typeof location === "string" ? location : null));
  if (drop === undefined) return record;
  const { prov: _, ...bare } = withDrop(record, drop);
  return { ...bare, prov: { ...prov, hash: recordHash(bare) } };
}

function instantOf({ created_at, captured_at }: RawItem): number {
  return Date.parse(created_at ?? captured_at);
}
