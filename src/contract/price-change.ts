import { roundTo } from "./round-to.js";

const WINDOW_MS = 7 * 24 * 3_600_000;

/** A price at an instant, in epoch milliseconds. */
export interface TimedPrice {
  readonly ms: number;
  readonly price: number;
}

/**
 * `price.drop_7d` (service.md section 2.3) of one series of prices: percent change of the newest price from the last one that is at
 * least seven days older, or from the oldest in a shorter history. Negative for a drop, rounded to two decimal places.
 * @param series the prices of one product in one currency at one place, oldest first
 * @returns undefined if there is no earlier price to compare with
 */
export function drop7d(series: readonly TimedPrice[]): number | undefined {
  const last = series.at(-1);
  if (last === undefined) return undefined;
  const before = series.findLast(({ ms }) => ms <= last.ms - WINDOW_MS) ?? series[0]!;
  if (before === last || before.price === 0) return undefined;
  return roundTo(((last.price - before.price) / before.price) * 100, 2);
}
