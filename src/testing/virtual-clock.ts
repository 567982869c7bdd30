import type { Clock } from "../clock.js";

/** A clock that moves only when called: for tests of quota months, rate windows and freshness. */
export class VirtualClock implements Clock {
  private ms: number;

  /** @param start Instant to begin at: milliseconds since the Unix epoch, or an ISO 8601 timestamp. */
  constructor(start: number | string = 0) {
    this.ms = instant(start);
  }

  now(): number {
    return this.ms;
  }

  /** Moves on by so many milliseconds; a negative number sets the clock back. */
  advance(ms: number): void {
    this.ms = instant(this.ms + ms);
  }

  /** Moves to an instant. */
  set(to: number | string): void {
    this.ms = instant(to);
  }
}

function instant(value: number | string): number {
  const ms = typeof value === "number" ? value : Date.parse(value);
  if (!Number.isSafeInteger(ms)) throw new RangeError(`not an instant: ${String(value)}`);
  return ms;
}
