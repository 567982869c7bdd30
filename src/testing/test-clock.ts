import { UsageError } from "../contract/errors.js";
import { shown } from "../contract/shown-value.js";
import { nextTurn } from "../next-turn.js";
import { VirtualClock } from "../virtual-clock.js";

/** Turns of the event loop in which what a timer woke may start further waits. */
const TURNS = 3;

interface Timer {
  readonly at: number;
  readonly wake: () => void;
}

/**
 * A virtual clock with timers: {@link TestClock.sleep} waits in its time, and {@link TestClock.run} moves on and settles what is due.
 * Give it to a client as `retry: { sleep: clock.sleep, now: clock.now }`, and no test waits for a pause.
 */
export class TestClock extends VirtualClock {
  private readonly timers = new Set<Timer>();

  /** Number of waits that are not due yet. */
  get waiting(): number {
    return this.timers.size;
  }

  /** Returns the time of the clock, also as a function of its own. */
  override readonly now = (): number => super.now();

  /** Waits for `ms` milliseconds of this clock. Rejects with the signal's reason when aborted. */
  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    if (ms <= 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.timers.delete(timer);
        reject(signal?.reason);
      };
      const timer: Timer = {
        at: this.now() + ms,
        wake: () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        },
      };
      this.timers.add(timer);
      signal?.addEventListener("abort", abort, { once: true });
    });
  };

  /**
   * Moves on by a span and settles what is due: waits end in the order of their times, the clock standing at each in turn, and
   * what they start is awaited in part, so that a wait that another begins is due too.
   * @param span milliseconds, or a text such as `"90s"`, `"15m"`, `"2h"`, `"31d"`
   * @throws UsageError `invalid_argument` for another span, or a negative one
   */
  async run(span: number | string): Promise<void> {
    const end = this.now() + spanMs(span);
    await settle();
    for (;;) {
      const next = [...this.timers].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.timers.delete(next);
      if (next.at > this.now()) this.set(next.at);
      next.wake();
      await settle();
    }
    if (end > this.now()) this.set(end);
  }
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Milliseconds of a span: a number, or a text such as `"90s"` or `"31d"`.
 * @throws UsageError `invalid_argument` for another value, or a negative one
 */
export function spanMs(span: number | string): number {
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(String(span)) ?? [];
  const ms = typeof span === "number" ? span : Number(count) * (UNITS[unit ?? ""] ?? Number.NaN);
  if (Number.isSafeInteger(ms) && ms >= 0) return ms;
  throw new UsageError("invalid_argument", `Not a span of time: ${shown(span)}`, {
    value: span,
    remedy: "Use milliseconds, or a whole number with ms, s, m, h or d, such as 90s or 31d.",
  });
}

async function settle(): Promise<void> {
  for (let i = 0; i < TURNS; i += 1) await nextTurn();
}
