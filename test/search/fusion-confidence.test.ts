import { describe, expect, it } from "vitest";
import { SEARCH_DEFAULTS } from "../../src/search/defaults.js";
import { fuse } from "../../src/search/fusion.js";
import { semanticShare } from "../../src/search/fusion-confidence.js";
import type { RankedRows } from "../../src/search/sorted-rows.js";

const { keyword: ofWords, semantic: ofVectors, sure } = SEARCH_DEFAULTS.fusion;

/** A ranking of 100 rows, from a row on, whose scores fall by a rate to a part of the first. */
function falling(to: number, rate: number, first = 0): RankedRows {
  const rows = Array.from({ length: 100 }, (_, i) => first + i);
  return { rows, scores: rows.map((_, i) => to + (1 - to) * rate ** i) };
}

const FEW = 1_000;
const SOME = 20_000;
const MANY = 1_000_000;

const steep = falling(0.1, 0.6);
const flat = falling(0.8, 0.6);
const standing = falling(0.1, 0.8);
const crowded = falling(0.9, 0.8);
const between = falling(0.6, 0.8);

describe("the share of a semantic ranking", () => {
  it("is whole where its first scores stand out, and the least in a crowd", () => {
    for (const keyword of [steep, flat]) {
      expect(semanticShare(keyword, standing, FEW)).toBe(1);
      expect(semanticShare(keyword, crowded, FEW)).toBeCloseTo(sure.least, 1);
    }
  });

  it("is less beside a keyword ranking that is sure", () => {
    expect(semanticShare(steep, between, SOME)).toBeLessThan(semanticShare(flat, between, SOME) / 2);
  });

  it("is less among many documents, and no more among very few", () => {
    expect(semanticShare(steep, between, MANY)).toBeLessThan(semanticShare(steep, between, FEW));
    expect(semanticShare(steep, between, 0)).toBe(semanticShare(steep, between, FEW));
  });

  it("never falls as the ranking stands out further", () => {
    const shares = Array.from({ length: 50 }, (_, i) => semanticShare(steep, falling(1 - i / 50, 0.8), FEW));
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  });

  it("is whole where only one ranking found rows, or few rows are near", () => {
    const none: RankedRows = { rows: [], scores: [] };
    expect(semanticShare(none, crowded, FEW)).toBe(1);
    expect(semanticShare(steep, { rows: [1, 2], scores: [1, 0.99] }, FEW)).toBe(1);
  });

  it("at its least displaces no first row of words, and orders rows that are close in them", () => {
    const weight = ofVectors.weight * sure.least;
    const byRow = (a: number, b: number) => a - b;
    const fused = (near: readonly number[]) =>
      fuse(
        [
          { rows: [10, 11, 12, 13, 14, 15, 16, 17], ...ofWords },
          { rows: near, ...ofVectors, weight },
        ],
        8,
        byRow,
      ).rows;
    expect(fused([90, 91, 92, 93]).slice(0, 4)).toEqual([10, 11, 12, 13]);
    expect(fused([17, 90, 91])[0]).toBe(10);
    const order = fused([17, 16]);
    expect(order.indexOf(17)).toBeLessThan(order.indexOf(15));
  });
});
