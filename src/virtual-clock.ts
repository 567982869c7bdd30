import type { Clock } from "./clock.js";

/** A clock that moves only when set, for tests of quota months, rate windows and freshness. */
export class VirtualClock implements Clock {
  private ms: number;

  /**
   * @param start Initial time: milliseconds since the Unix epoch, or an ISO 8601 timestamp
   * @throws RangeError for another value
   */
  constructor(start: number | string = 0) {
    this.ms = instant(start);
  }

  /** Returns milliseconds since the Unix epoch. */
  now(): number {
    return this.ms;
  }

  /** Advances by `ms` milliseconds; a negative number sets the clock back. @throws RangeError */
  advance(ms: number): void {
    this.ms = instant(this.ms + ms);
  }

  /** Sets the time: milliseconds since the Unix epoch, or an ISO 8601 timestamp. @throws RangeError */
  set(to: number | string): void {
    this.ms = instant(to);
  }
}

function instant(value: number | string): number {
  const ms = typeof value === "number" ? value : Date.parse(value);
  if (!Number.isSafeInteger(ms)) throw new RangeError(`not an instant: ${String(value)}`);
  return ms;
}
