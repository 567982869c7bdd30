import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Timestamp } from "../../src/contract/service/unified-record.js";
import {
  FIRST_INSTANT_MS,
  LAST_INSTANT_MS,
  monthEndMs,
  monthNumber,
  monthStartMs,
} from "../../src/contract/utc-calendar.js";

const pad = (value: number, digits: number) => String(value).padStart(digits, "0");

describe("months in UTC", () => {
  it("begin with their first instant, in all years from 0000 to 9999", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 1, max: 12 }), (year, month) => {
        const start = monthStartMs(year * 12 + month - 1);
        expect(new Date(start).toISOString()).toBe(`${pad(year, 4)}-${pad(month, 2)}-01T00:00:00.000Z`);
        expect(monthNumber(start)).toBe(year * 12 + month - 1);
        expect(monthNumber(monthStartMs(year * 12 + month) - 1)).toBe(year * 12 + month - 1);
      }),
      {
        examples: [
          [0, 1],
          [0, 2],
          [99, 12],
          [100, 1],
          [1969, 12],
          [9999, 12],
        ],
      },
    );
  });

  it("have every instant of these years in one", () => {
    fc.assert(
      fc.property(fc.integer({ min: FIRST_INSTANT_MS, max: LAST_INSTANT_MS }), (ms) => {
        const month = monthNumber(ms);
        expect(monthStartMs(month)).toBeLessThanOrEqual(ms);
        expect(monthStartMs(month + 1)).toBeGreaterThan(ms);
        expect(monthEndMs(month)).toBeGreaterThanOrEqual(ms);
        expect(Timestamp.safeParse(new Date(monthEndMs(month)).toISOString()).success).toBe(true);
      }),
    );
    expect([FIRST_INSTANT_MS, LAST_INSTANT_MS].map((ms) => new Date(ms).toISOString())).toEqual([
      "0000-01-01T00:00:00.000Z",
      "9999-12-31T23:59:59.999Z",
    ]);
  });
});

describe("the text of an instant", () => {
  it.each([
    ["0000-01-01T00:00:00Z", []],
    ["9999-12-31T23:59:59.999Z", []],
    ["9999-12-31T11:59:59.999-12:00", []],
    ["9999-12-31T23:59:59-00:01", ["must be in the years 0000 to 9999 in UTC"]],
    ["0000-01-01T00:00:00+08:00", ["must be in the years 0000 to 9999 in UTC"]],
    ["soon", ["Invalid ISO datetime"]],
  ])("%s has the faults %j", (text, faults) => {
    expect(Timestamp.safeParse(text).error?.issues.map(({ message }) => message) ?? []).toEqual(faults);
  });
});
