import { roundTo } from "../../mapping/convert.js";

const DAY_MS = 24 * 3_600_000;
const WINDOW_MS = 7 * DAY_MS;

/** Price of a product at one place at one instant. */
export interface PlacePrice {
  readonly place: string;
  /** Calendar day of the snapshot. */
  readonly day: string;
  readonly capturedMs: number;
  readonly price: number;
}

/** The prices of one product at one place, oldest first. */
export type PriceSeries<P extends PlacePrice> = readonly P[];

/** Groups prices into one series per place, each oldest first, sorted by place. */
export function seriesByPlace<P extends PlacePrice>(prices: readonly P[]): PriceSeries<P>[] {
  const places = new Map<string, P[]>();
  for (const price of prices) {
    const series = places.get(price.place);
    if (series === undefined) places.set(price.place, [price]);
    else series.push(price);
  }
  return [...places]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, series]) => series.toSorted((a, b) => a.capturedMs - b.capturedMs));
}

/**
 * The reference series of a product: among those with the newest day, the one with the most snapshots; of several, the first by
 * place. It is one series because prices differ by place, and a difference between places is not a change.
 */
export function referenceSeries<P extends PlacePrice>(all: readonly PriceSeries<P>[]): PriceSeries<P> {
  return all.reduce((best, series) => {
    const [day, bestDay] = [series.at(-1)!.day, best.at(-1)!.day];
    return day > bestDay || (day === bestDay && series.length > best.length) ? series : best;
  });
}

/**
 * `drop_7d`: percent change of the newest price from the last price at least seven days older, or from the oldest in a shorter
 * history; negative for a drop, rounded to two decimal places.
 * @returns undefined if there is no earlier price to compare with
 */
export function drop7d(series: PriceSeries<PlacePrice>): number | undefined {
  const last = series.at(-1)!;
  const before = series.findLast(({ capturedMs }) => capturedMs <= last.capturedMs - WINDOW_MS) ?? series[0]!;
  if (before === last || before.price === 0) return undefined;
  return roundTo(((last.price - before.price) / before.price) * 100, 2);
}
