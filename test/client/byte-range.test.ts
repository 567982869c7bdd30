import fc from "fast-check";
import { expect, test } from "vitest";
import { etagListed, parseRange } from "../../src/client/files/byte-range.js";

test.each([
  ["bytes=0-0", { first: 0, last: 0 }],
  ["bytes=10-", { first: 10, last: 99 }],
  ["bytes=10-19", { first: 10, last: 19 }],
  ["bytes=90-500", { first: 90, last: 99 }],
  ["bytes=-10", { first: 90, last: 99 }],
  ["bytes=-500", { first: 0, last: 99 }],
  [" Bytes=1-2 ", { first: 1, last: 2 }],
  ["bytes=100-", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=5-2", undefined],
  ["bytes=0-1,4-5", undefined],
  ["items=0-1", undefined],
  ["bytes=a-b", undefined],
  ["bytes=-", undefined],
  ["", undefined],
  [undefined, undefined],
])("of 100 bytes, %j asks for %j", (header, range) => {
  expect(parseRange(header, 100)).toEqual(range);
});

test("of an empty body no part can be had", () => {
  expect(parseRange("bytes=0-", 0)).toBe("unsatisfiable");
  expect(parseRange("bytes=-5", 0)).toBe("unsatisfiable");
});

test("a range lies within the body, whatever is asked for", () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), fc.nat(), fc.nat({ max: 1000 }), (text, a, b, bytes) => {
      for (const header of [text, `bytes=${text}`, `bytes=${a}-${b}`, `bytes=${a}-`, `bytes=-${a}`]) {
        const range = parseRange(header, bytes);
        if (range === undefined || range === "unsatisfiable") continue;
        expect(range.first).toBeGreaterThanOrEqual(0);
        expect(range.last).toBeGreaterThanOrEqual(range.first);
        expect(range.last).toBeLessThan(bytes);
      }
    }),
  );
});

test("ETags are compared strongly, or weakly where that is right", () => {
  expect(etagListed('"a", "b"', '"b"', false)).toBe(true);
  expect(etagListed('W/"b"', '"b"', false)).toBe(false);
  expect(etagListed('W/"b"', '"b"', true)).toBe(true);
  expect(etagListed("*", '"b"', false)).toBe(true);
  expect(etagListed('"bb"', '"b"', true)).toBe(false);
});
