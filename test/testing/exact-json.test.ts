import fc from "fast-check";
import { expect, test } from "vitest";
import { exactText, plainJson } from "../../src/cassette/exact-json.js";
import { exactJsonOf, parseExactJson } from "../../src/cassette/parse-exact-json.js";

const spaced = fc.constantFrom("", " ", "\n", "\t \r\n");

test("JSON of any kind and spacing is the same text again, without white space", () => {
  const list = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
    minLength: 10,
    maxLength: 20,
  });
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), list), spaced, (value, indent) => {
      const text = JSON.stringify(value);
      const written = `${indent}${JSON.stringify(value, undefined, indent)}${indent}`;
      expect(exactText(parseExactJson(written))).toBe(text);
      const isSafe = !/(?<![.\d])\d{16,}/.test(text);
      if (isSafe) expect(plainJson(parseExactJson(written))).toEqual(JSON.parse(text));
    }),
    { examples: [[9_007_199_254_740_992, ""]] },
  );
});

test("a text is JSON exactly where JSON.parse takes it", () => {
  const pieces = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    ",",
    ":",
    "1",
    "-",
    ".5",
    "e9",
    "null",
    "a",
    " ",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const text = parts.join("");
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      expect(exactJsonOf(text) !== undefined).toBe(isJson);
    }),
    { numRuns: 1000 },
  );
});
