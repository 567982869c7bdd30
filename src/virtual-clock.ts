import type { Clock } from "./clock.js";
import { UsageError } from "./contract/errors.js";
import { shown } from "./contract/shown-value.js";

/** A clock that moves only when set, for tests of quota months, rate windows and freshness. */
export class VirtualClock implements Clock {
  private ms: number;

  /**
   * @param start Initial time: milliseconds since the Unix epoch, or an ISO 8601 timestamp
   * @throws UsageError `invalid_argument` for another value
   */
  constructor(start: number | string = 0) {
    this.ms = instant(start);
  }

  /** Returns milliseconds since the Unix epoch. */
  now(): number {
    return this.ms;
  }

  /** Advances by `ms` milliseconds; a negative number sets the clock back. @throws UsageError `invalid_argument` */
  advance(ms: number): void {
    if (!Number.isSafeInteger(ms))
      throw new UsageError("invalid_argument", `Not a number of milliseconds: ${shown(ms)}`, {
        value: ms,
        remedy: "Give whole milliseconds, such as 60_000; a test lake's clock.run takes spans such as 1m.",
      });
    this.ms = instant(this.ms + ms);
  }

  /** Sets the time: milliseconds since the Unix epoch, or an ISO 8601 timestamp. @throws UsageError `invalid_argument` */
  set(to: number | string): void {
    this.ms = instant(to);
  }
}

function instant(value: number | string): number {
  const ms = typeof value === "number" ? value : Date.parse(value);
  if (Number.isSafeInteger(ms)) return ms;
  throw new UsageError("invalid_argument", `Not an instant: ${shown(value)}`, {
    value,
    remedy: "Use milliseconds since 1970, or a time such as 2026-05-29T12:00:00Z.",
  });
}
