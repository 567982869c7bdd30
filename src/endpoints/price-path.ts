import { type PricePath, PricePoint } from "../contract/service/answer-shapes.js";
import { PricePathOptions } from "../contract/service/operations.js";
import type { RawItem } from "../contract/slice/slice-item.js";
import { findRawPage } from "./find-raw.js";
import { type CommonParams, createdWindowOf, type GenericParams, named } from "./generic-params.js";
import type { Handler, HandlerContext } from "./handler.js";
import { pageProvenance } from "./page-provenance.js";
import { recordOf } from "./record-answer.js";
import { recordIdHint } from "./record-id-hint.js";
import { originOf } from "./records.js";

/**
 * Returns the price history of one item: its newest `count` points within the window, one series per location and
 * currency. Points that tell no price, which slices may have, are left out. Without points and window it uses the price of the
 * unified record; null if there is none.
 */
export const pricePath: Handler<GenericParams> = async (params, context) => {
  const { corpus, endpoint } = context;
  const options = PricePathOptions.parse(endpoint.options);
  const id = named(params, options.id) ?? "";
  const common = params as CommonParams;
  const { items } = await findRawPage(corpus, {
    platform: endpoint.platform!,
    resource: options.resource,
    parent: id,
    ...createdWindowOf(common),
    orderBy: "created",
    descending: true,
    offset: 0,
    limit: common.count ?? 365,
  });
  const windowed = common.from !== undefined || common.to !== undefined;
  const priced = items.flatMap((item) => pointsOf(item).map((point) => ({ item, point })));
  const { points, origins } =
    priced.length > 0 || windowed
      ? { points: priced.map(({ point }) => point), origins: priced.map(({ item }) => item) }
      : await recordPoints(id, context);
  if (points.length === 0) return { data: null, empty: true, headers: recordIdHint(options.id, id, context) };
  const series = seriesOf(points);
  const data: PricePath = { id, series, prov: pageProvenance(origins, series, context) };
  return { data, empty: false };
};

/** The point that an item tells; none without a price in a currency. */
function pointsOf({ data, created_at, captured_at }: RawItem): PricePoint[] {
  const { success, data: point } = PricePoint.safeParse({ ts: created_at ?? captured_at, ...data });
  return success ? [point] : [];
}

interface Points {
  readonly points: readonly PricePoint[];
  /** What the points come from. */
  readonly origins: Parameters<typeof pageProvenance>[0];
}

async function recordPoints(id: string, context: HandlerContext): Promise<Points> {
  const record = await recordOf(id, context);
  if (record?.price === undefined) return { points: [], origins: [] };
  const { current, currency } = record.price;
  return { points: [{ ts: record.prov.ts, current, currency }], origins: [originOf(record)] };
}

function seriesOf(points: readonly PricePoint[]): PricePath["series"] {
  const groups = new Map<string, PricePoint[]>();
  for (const point of points) {
    const key = JSON.stringify([point.location ?? null, point.currency]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [point]);
    else group.push(point);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, group]) => {
      const ordered = group.sort((a, b) => Date.parse(a.ts) - Date.parse(b.ts));
      const prices = ordered.map(({ current }) => current);
      const [first, last] = [prices[0]!, prices.at(-1)!];
      return {
        location: ordered[0]!.location ?? null,
        currency: ordered[0]!.currency,
        points: ordered,
        low: Math.min(...prices),
        high: Math.max(...prices),
        change_pct: first === 0 ? null : Math.round(((last - first) / first) * 1e4) / 100,
      };
    });
}
