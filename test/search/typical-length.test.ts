import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { typicalLength } from "../../src/search/keyword/ranking/typical-length.js";
import { totalsOf } from "./length-totals.js";

const typicalOf = (lengths: readonly number[]) => typicalLength(totalsOf(lengths));
const times = (count: number, length: number) => new Array<number>(count).fill(length);

describe("the typical length of a language", () => {
  it("is the average of texts of one kind", () => {
    expect(typicalOf([80, 100, 120])).toBe(100);
    expect(typicalOf(times(7, 60))).toBe(60);
  });

  it("is that of the articles among many comments, up to eight times the average", () => {
    expect(typicalOf([...times(75, 20), ...times(25, 200)])).toBe(200);
    expect(typicalOf([...times(999, 10), 5_000])).toBeCloseTo(0.85 * 5_000);
    expect(typicalOf([...times(90, 10), ...times(10, 100), 1_000])).toBeCloseTo(0.85 * 1_000);
    expect(typicalOf([...times(80, 10), ...times(30, 110)])).toBeCloseTo(110);
  });

  it("is nothing where there is no text", () => {
    expect(typicalOf([])).toBe(0);
    expect(typicalOf([0, 0])).toBe(0);
  });

  it("lies between the average and the longest, and grows with the lengths", () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 2, max: 9 }), (values, factor) => {
        const typical = typicalOf(values);
        const average = values.reduce((a, b) => a + b) / values.length;
        expect(typical).toBeGreaterThanOrEqual(average * (1 - 1e-12));
        expect(typical).toBeLessThanOrEqual(Math.max(...values) * (1 + 1e-12));
        expect(typicalOf(values.map((value) => value * factor))).toBeCloseTo(typical * factor, 6);
      }),
    );
  });

  it("rises step by step as articles come among comments, whose lengths are spread", () => {
    const spread = (count: number, from: number, to: number) =>
      Array.from({ length: count }, (_, i) => from + (i * (to - from)) / count);
    const typical = Array.from({ length: 200 }, (_, articles) =>
      typicalOf([...spread(1_000, 5, 75), ...spread(articles, 100, 300)]),
    );
    expect(typical[0]).toBeLessThan(50);
    expect(typical.at(-1)).toBeGreaterThan(190);
    for (let i = 1; i < typical.length; i += 1)
      expect(Math.abs(typical[i]! - typical[i - 1]!)).toBeLessThan(15);
  });
});
