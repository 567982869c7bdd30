import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PairTable } from "../../src/search/analysis/pair-table.js";
import { TermTable } from "../../src/search/analysis/term-table.js";
import { runs } from "../support/campaign.js";

describe("a table of texts", () => {
  it("finds what a map finds, wherever in a longer text it stands", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "é", "字", "😀"), maxLength: 5 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 400, size: "max" }), fc.string(), (texts, before) => {
        const table = new TermTable();
        const map = new Map<string, { first: number; count: number }>();
        for (const [first, text] of texts.entries()) {
          const whole = `${before}${text}!`;
          const [start, end] = [before.length, before.length + text.length];
          const slot = table.find(whole, start, end);
          const known = map.get(text);
          if (known === undefined) {
            expect(slot).toBe(-1);
            const added = table.add(whole, start, end, first, first % 3);
            expect(table.firstOf(added)).toBe(first);
            map.set(text, { first, count: first % 3 });
          } else {
            expect({ first: table.firstOf(slot), count: table.countOf(slot) }).toEqual(known);
          }
        }
        for (const [text, { first }] of map)
          expect(table.firstOf(table.find(text, 0, text.length))).toBe(first);
      }),
      runs(50),
    );
  });

  it("grows over thousands of texts", () => {
    const table = new TermTable();
    for (let i = 0; i < 5000; i += 1) table.add(`word${i}`, 0, `word${i}`.length, i, 1);
    for (let i = 0; i < 5000; i += 1)
      expect(table.firstOf(table.find(`word${i}`, 0, `word${i}`.length))).toBe(i);
    expect(table.find("word5000", 0, 8)).toBe(-1);
    expect(table.find("word12", 0, 4)).toBe(-1);
  });
});

describe("a table of pairs", () => {
  it("holds what a map holds", () => {
    const number = fc.integer({ min: 0, max: 60 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(number, number, fc.nat(1000)), { maxLength: 2000, size: "max" }),
        (entries) => {
          const table = new PairTable();
          const map = new Map<string, number>();
          for (const [first, second, value] of entries) {
            expect(table.get(first, second)).toBe(map.get(`${first} ${second}`) ?? -1);
            table.set(first, second, value);
            map.set(`${first} ${second}`, value);
          }
          for (const [first, second] of entries)
            expect(table.get(first, second)).toBe(map.get(`${first} ${second}`));
        },
      ),
      runs(20),
    );
  });
});
