import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  counted,
  formatBinarySize,
  formatBytes,
  formatCount,
  formatDuration,
} from "../../src/contract/quantity.js";

test.each([
  [0, "0 slices"],
  [1, "1 slice"],
  [2, "2 slices"],
  [12_345, "12,345 slices"],
])("%i is %s", (count, text) => expect(counted(count, "slice")).toBe(text));

test("a noun may have a plural of its own", () => {
  expect([1, 3].map((count) => counted(count, "entry", "entries"))).toEqual(["1 entry", "3 entries"]);
});

test.each([
  [0, "0 B"],
  [143.90243902439025, "144 B"],
  [999.6, "1.0 kB"],
  [1234, "1.2 kB"],
  [999_949, "999.9 kB"],
  [999_951, "1.0 MB"],
  [2.5e9, "2.5 GB"],
  [3.25e12, "3.3 TB"],
])("%d bytes are %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

test.each([
  [1, "1 byte"],
  [1023, "1,023 bytes"],
  [300 * 1024 ** 2, "300 MiB"],
  [20_000_000, "19.1 MiB"],
])("a limit of %d bytes is %s", (bytes, text) => expect(formatBinarySize(bytes)).toBe(text));

test.each([
  [0.4, "0 ms"],
  [999.7, "1.0 s"],
  [3_440, "3.4 s"],
  [125_000, "2 min 5 s"],
])("%d ms are %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

describe("no quantity has a long fraction", () => {
  const short = /^-?[\d,]+(\.\d{1,2})?( \w+)?( \d+ s)?$/;
  test.each([
    ["a count", formatCount],
    ["bytes", formatBytes],
    ["a duration", formatDuration],
  ])("%s", (_, format) => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e15, noNaN: true }), (value) => {
        expect(format(value)).toMatch(short);
      }),
    );
  });
});
