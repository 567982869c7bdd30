import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { displayWidth, oneLine, truncate, wrap } from "../../src/cli/format/display-width.js";
import { formatTable } from "../../src/cli/format/format-table.js";

describe("displayWidth", () => {
  test.each([
    ["", 0],
    ["phone", 5],
    ["手机", 4],
    ["한국", 4],
    ["ｗｉｄｅ", 8],
    ["é", 1],
    ["e\u0301", 1],
    ["👍", 2],
    ["👨‍👩‍👧", 2],
    ["❤️", 2],
    ["ไทย", 3],
    ["1️⃣", 2],
  ])("%j takes %i cells", (text, cells) => {
    expect(displayWidth(text)).toBe(cells);
  });
});

describe("truncate", () => {
  test("leaves what fits", () => {
    expect(truncate("手机", 4)).toBe("手机");
  });

  test("never cuts a wide character in half", () => {
    expect(truncate("手机壳", 4)).toBe("手…");
    expect(truncate("手机壳", 5)).toBe("手机…");
  });

  test("never exceeds the width, and keeps a prefix", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(30), (text, cells) => {
        const cut = truncate(text, cells);
        expect(displayWidth(cut)).toBeLessThanOrEqual(cells);
        expect(text.startsWith(cut.replace(/…$/, "")) || cut === "").toBe(true);
      }),
    );
  });
});

describe("wrap", () => {
  test("breaks at spaces, else anywhere, never inside a wide character", () => {
    expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
    expect(wrap("abcdefgh", 3)).toEqual(["abc", "def", "gh"]);
    expect(wrap("手机壳", 5)).toEqual(["手机", "壳"]);
    expect(wrap("", 5)).toEqual([""]);
    expect(wrap("ab \u3000c", 4)).toEqual(["ab", "\u3000c"]);
  });

  test("keeps every character but spaces, within the width", () => {
    const words = fc.array(fc.string({ unit: "grapheme", maxLength: 12 })).map((parts) => parts.join(" "));
    fc.assert(
      fc.property(words, fc.integer({ min: 2, max: 30 }), (text, cells) => {
        const lines = wrap(text, cells);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(cells);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      }),
    );
  });
});

describe("oneLine", () => {
  test("keeps escape sequences and direction overrides off the terminal", () => {
    expect(oneLine("a\u001b[31mb\r\nc\u202ed")).toBe("a [31mb cd");
  });
});

describe("formatTable", () => {
  const columns = [
    { header: "n", align: "right" as const },
    { header: "text", grow: true },
    { header: "where" },
  ];

  test("aligns by cells", () => {
    const text = formatTable(
      columns,
      [
        ["1", "手机", "成都"],
        ["12", "phone", "Leeds"],
      ],
      80,
    );
    expect(text).toBe(
      [" n  text   where", "──  ─────  ─────", " 1  手机   成都", "12  phone  Leeds", ""].join("\n"),
    );
  });

  test("cuts the growing column to the terminal", () => {
    const text = formatTable(columns, [["1", "x".repeat(200), "here"]], 40);
    for (const line of text.trimEnd().split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(40);
    expect(text).toContain("…");
    expect(text).toContain("here");
  });

  test("no line is wider than the terminal, whatever the cells", () => {
    const cell = fc.string({ unit: "grapheme", maxLength: 60 });
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell)), fc.integer({ min: 40, max: 120 }), (rows, width) => {
        const growing = [
          { header: "a", grow: true },
          { header: "b", grow: true },
        ];
        for (const line of formatTable(growing, rows, width).trimEnd().split("\n"))
          expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});
