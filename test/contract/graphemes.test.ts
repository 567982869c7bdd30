import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { displayWidth, truncate, wrap } from "../../src/cli/format/display-width.js";
import { formatRows } from "../../src/cli/format/format-rows.js";
import { graphemesOf } from "../../src/contract/graphemes.js";
import { table } from "../../src/notebook/table.js";
import { fitColumns, textColumns } from "../../src/notebook/text-width.js";
import { ANY_CHARACTER } from "../support/any-character.js";
import { runs } from "../support/campaign.js";

const whole = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const reference = (text: string) => Array.from(whole.segment(text), ({ segment }) => segment);

/** Characters that join, or do not, depending on their neighbours; halves of pairs among them. */
const JOINING = [
  ..."aé\n\r \u00ad\u0301\u200d\ufe0f\u0600\u0e33กีक्ष\u094dकᄀ가ᅡᆨ각手。ー\u3099©❤",
  ..."👩👧🏽🇩🇪🇫\u{e0100}\u{1f469}",
  "\ud83d",
  "\udc69",
  "\r\n",
  "👨‍👩‍👧‍👦",
  ..."เป็นภาษาที่น้ำקָמָץمُحَمَّد",
  "\u0301".repeat(70),
  "🇩".repeat(41),
  "a".repeat(63),
];

const anyLength = fc
  .array(fc.oneof(fc.constantFrom(...JOINING), fc.string({ unit: ANY_CHARACTER, maxLength: 3 })), {
    maxLength: 120,
  })
  .map((parts) => parts.join(""));

describe("graphemesOf", () => {
  test("splits as the segmenter splits the whole text", () => {
    fc.assert(
      fc.property(anyLength, (text) => {
        expect([...graphemesOf(text)]).toEqual(reference(text));
      }),
      runs(300),
    );
  });

  test("agrees wherever a character of the Basic Multilingual Plane stands", () => {
    for (let first = 0; first < 0x10000; first += 32) {
      const units = Array.from({ length: 32 }, (_, i) => String.fromCharCode(first + i));
      const text = units.map((unit) => `${unit}a${unit}\u0301手`).join("");
      expect([...graphemesOf(text)].join("|")).toBe(reference(text).join("|"));
    }
  });
});

describe("letters with marks that follow simple rules", () => {
  test.each([
    ["Thai", "เป็นภาษาที่มีระดับเสียง น้ำ"],
    ["Hebrew", "בְּרֵאשִׁית"],
    ["Arabic", "مُحَمَّد"],
    ["Latin", "cafe\u0301 nu\u0308ll"],
  ])("%s needs no segmenter, which takes microseconds for each", (_, text) => {
    const segment = vi.spyOn(Intl.Segmenter.prototype, "segment");
    try {
      expect([...graphemesOf(text.repeat(20))].join("")).toBe(text.repeat(20));
      expect(segment).not.toHaveBeenCalled();
    } finally {
      segment.mockRestore();
    }
    expect([...graphemesOf(text.repeat(20))]).toEqual(reference(text.repeat(20)));
  });
});

describe("text of any length", () => {
  test("is cut to the columns of a cell as if it were measured whole", () => {
    const slow = (text: string, columns: number) => {
      if (textColumns(text) <= columns) return text;
      let kept = "";
      for (const grapheme of reference(text)) {
        if (textColumns(kept + grapheme) > columns - 1) break;
        kept += grapheme;
      }
      return `${kept.trimEnd()}…`;
    };
    fc.assert(
      fc.property(anyLength, fc.integer({ min: 2, max: 60 }), (text, columns) => {
        expect(fitColumns(text, columns)).toBe(slow(text, columns));
      }),
      runs(200),
    );
  });

  /** In time that grows with the square of the length each of these takes most of a minute. */
  const LONG = 200_000;
  test.each([
    ["ASCII", "word "],
    ["letters without spaces", "x"],
    ["Han", "手机"],
    ["Thai", "ภาษาไทย"],
    ["Devanagari", "क्षत्रिय "],
    ["emoji", "👨‍👩‍👧"],
    ["flags", "🇩🇪"],
    ["marks", "\u0301"],
    ["halves of pairs", "\ud83d"],
  ])("%s, 200,000 characters: tables of a notebook and of a terminal", (_, unit) => {
    const text = unit.repeat(Math.ceil(LONG / unit.length));
    const shown = String(table([{ text }]));
    expect(shown.split("\n")[0]).toBe("text");
    expect(displayWidth(truncate(text, 40))).toBeLessThanOrEqual(40);
    expect(formatRows([{ text }], 80, "table").split("\n")).toHaveLength(4);
    const lines = wrap(text, 80);
    expect(formatRows([{ text }], 86, "vertical").split("\n").length).toBeGreaterThanOrEqual(3);
    expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
  });
});
