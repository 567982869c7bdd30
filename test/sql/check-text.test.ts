import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkText } from "../../src/sql/check-text.js";

const joined = (count: number, part: string) => Array.from({ length: count }, () => part).join(" UNION ALL ");

describe("a text is refused before the engine parses it", () => {
  test.each([
    ["20,000 UNION ALL", joined(20_000, "SELECT 1"), "sql_refused"],
    [
      "so many behind a string with an escape",
      `SELECT E'\\'' UNION ALL ${joined(20_000, "SELECT 1")} -- '`,
      "sql_refused",
    ],
    ["so many behind a comment", `SELECT 1 -- '\r UNION ALL ${joined(20_000, "SELECT '1'")}`, "sql_refused"],
    [
      "so many behind dollar quotes",
      `SELECT $a$ ' $a$ UNION ALL ${joined(20_000, "SELECT '1'")}`,
      "sql_refused",
    ],
    ["more than a million characters", `SELECT '${"x".repeat(1_000_000)}'`, "sql_refused"],
    ["a NUL character", "SELECT 1 \0", "sql_refused"],
    ["brackets 251 deep", `SELECT ${"(".repeat(251)}1${")".repeat(251)}`, "sql_syntax"],
    ["brackets of every kind", `SELECT ${"([{".repeat(100)}`, "sql_syntax"],
  ])("%s", (_, text, code) => {
    expect(() => checkText(text)).toThrow(expect.objectContaining({ code }));
  });
});

describe("a text is left to the engine", () => {
  test.each([
    ["a thousand of UNION ALL", joined(999, "SELECT 1")],
    ["brackets side by side", `SELECT ${Array.from({ length: 5000 }, () => "(1)").join("+")}`],
    ["brackets and words in strings", `SELECT '${"(".repeat(1000)} ${"union ".repeat(5000)}'`],
    ["in quoted names", `SELECT 1 AS "${"[".repeat(1000)}${"select ".repeat(5000)}"`],
    ["in comments", `SELECT 1 -- ${"(".repeat(1000)}\n/* ${"union ".repeat(5000)} */`],
    ["in dollar quotes", `SELECT $$ ${"(".repeat(1000)} $$, $x$ ' ${"union ".repeat(5000)} $x$`],
    ["in escape strings", `SELECT E'\\' ${"(".repeat(1000)} ${"union ".repeat(5000)}'`],
    ["an unfinished string", `SELECT '${"(".repeat(1000)}`],
  ])("%s", (_, text) => {
    expect(() => checkText(text)).not.toThrow();
  });

  test("whatever its characters are", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200 }).map((text) => text.replaceAll("\0", "")),
        (text) => {
          expect(() => checkText(text)).not.toThrow();
        },
      ),
    );
  });
});
