import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EndpointCaps } from "../../src/account/endpoint-caps.js";
import { nextSingaporeMonth, singaporeDay, singaporeMonth } from "../../src/account/singapore-calendar.js";
import { SlidingWindow } from "../../src/account/sliding-window.js";
import { VirtualClock } from "../../src/virtual-clock.js";

const instant = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2200, 0, 1) });

describe("calendar of Asia/Singapore", () => {
  const icu = new Intl.DateTimeFormat("en-CA", { timeZone: "Asia/Singapore", dateStyle: "short" });

  it("agrees with ICU on every day", () => {
    fc.assert(
      fc.property(instant, (ms) => {
        expect(singaporeDay(ms)).toBe(icu.format(ms));
      }),
    );
  });

  it("begins each month at 00:00 on the 1st, years too", () => {
    fc.assert(
      fc.property(instant, (ms) => {
        const next = nextSingaporeMonth(ms);
        expect(next).toBeGreaterThan(ms);
        expect(singaporeMonth(next - 1)).toBe(singaporeMonth(ms));
        expect(singaporeDay(next)).toBe(`${singaporeMonth(next)}-01`);
        expect(singaporeMonth(next)).not.toBe(singaporeMonth(ms));
      }),
    );
    expect(singaporeMonth(Date.parse("2026-12-31T16:00:00Z"))).toBe("2027-01");
    expect(singaporeMonth(Date.parse("2026-12-31T15:59:59.999Z"))).toBe("2026-12");
  });
});

describe("sliding window", () => {
  it("never lets more than the limit through in any span, and waits exactly as long as it must", () => {
    const steps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 8 }), (gaps, limit) => {
        const window = new SlidingWindow(1000);
        const passed: number[] = [];
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          const inSpan = passed.filter((at) => at > now - 1000);
          const wait = window.waitMs(now, limit);
          expect(window.count(now)).toBe(inSpan.length);
          if (inSpan.length < limit) {
            expect(wait).toBe(0);
            window.add(now);
            passed.push(now);
          } else {
            const then = now + wait;
            expect(passed.filter((at) => at > then - 1000).length).toBeLessThan(limit);
            expect(passed.filter((at) => at > then - 1 - 1000).length).toBe(limit);
          }
        }
      }),
    );
  });

  it("does not block for longer than its span when the clock goes back", () => {
    const window = new SlidingWindow(1000);
    window.add(10_000);
    expect(window.waitMs(5_000, 1)).toBe(1000);
    expect(window.waitMs(6_000, 1)).toBe(0);
  });
});

describe("endpoint caps", () => {
  it("refuses over-cap calls of one endpoint alone, with whole seconds to wait", () => {
    const clock = new VirtualClock("2026-05-01T00:00:00Z");
    const caps = new EndpointCaps(clock);
    for (let i = 0; i < 5; i++) expect(caps.take("raw.video", 5).allowed).toBe(true);
    expect(caps.take("raw.video", 5)).toEqual({ allowed: false, retryAfterS: 1 });
    expect(caps.take("search", 100)).toEqual({ allowed: true, retryAfterS: 0 });
    clock.advance(999);
    expect(caps.take("raw.video", 5).allowed).toBe(false);
    clock.advance(1);
    expect(caps.take("raw.video", 5).allowed).toBe(true);
  });
});
