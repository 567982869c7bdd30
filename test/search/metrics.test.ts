import { describe, expect, test } from "vitest";
import { meanQuality, qualityOf } from "../../src/search/eval/metrics.js";

const grades = new Map([
  ["a", 3],
  ["b", 1],
  ["c", 0],
  ["d", -1],
]);
const discount = (rank: number) => 1 / Math.log2(rank + 1);

describe("the quality of a ranking", () => {
  test("is 1 where the relevant documents come first, by their grades", () => {
    expect(qualityOf(["a", "b", "x"], grades)).toEqual({ ndcg10: 1, recall100: 1, mrr10: 1 });
  });

  test("discounts grades by rank, and takes grades of 0 and below as not relevant", () => {
    const { ndcg10, recall100, mrr10 } = qualityOf(["c", "b", "d", "a"], grades);
    expect(ndcg10).toBeCloseTo((discount(2) + 3 * discount(4)) / (3 * discount(1) + discount(2)), 12);
    expect({ recall100, mrr10 }).toEqual({ recall100: 1, mrr10: 1 / 2 });
  });

  test("counts gain and first rank in the first ten, recall in the first hundred", () => {
    const others = (count: number) => Array.from({ length: count }, (_, i) => `x${i}`);
    expect(qualityOf([...others(10), "a"], grades)).toEqual({ ndcg10: 0, recall100: 0.5, mrr10: 0 });
    expect(qualityOf([...others(100), "a"], grades)).toEqual({ ndcg10: 0, recall100: 0, mrr10: 0 });
  });

  test("is 0 without anything relevant, and its mean without queries", () => {
    const nothing = { ndcg10: 0, recall100: 0, mrr10: 0 };
    expect(qualityOf(["a"], new Map([["a", 0]]))).toEqual(nothing);
    expect(meanQuality([])).toEqual(nothing);
    expect(meanQuality([nothing, { ndcg10: 1, recall100: 0.5, mrr10: 0.25 }])).toEqual({
      ndcg10: 0.5,
      recall100: 0.25,
      mrr10: 0.125,
    });
  });
});
