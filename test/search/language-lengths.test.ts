import { describe, expect, it } from "vitest";
import { lengthsOf } from "../../src/search/keyword/ranking/language-lengths.js";
import { LanguageStatistics, normOf } from "../../src/search/keyword/ranking/language-statistics.js";

/** Articles of 200 half words alone, and among nine captions of 20 for each. */
const articles = lengthsOf({ documents: 10, length: 2000, longDocuments: 10, longLength: 2000 });
const mixed = lengthsOf({ documents: 100, length: 3800, longDocuments: 10, longLength: 2000 });

describe("the lengths of a language's documents", () => {
  it("are measured by the average where all are of one kind, and none counts as longer than it is", () => {
    expect(articles).toEqual({ documents: 10, length: 2000, typical: 200, least: 0 });
  });

  it("are measured by the long ones beside short ones, and the short ones count with a least length", () => {
    expect(mixed.typical).toBe(170);
    expect(mixed.least).toBeCloseTo(0.6 * (170 - 38), 9);
    expect(normOf(10, mixed)).toBe(normOf(40, mixed));
    expect(normOf(100, mixed)).toBeGreaterThan(normOf(40, mixed));
    expect(normOf(10, articles)).toBeLessThan(normOf(40, articles));
  });

  it("bound the score of every document, in any language", () => {
    const statistics = new LanguageStatistics(
      new Map([
        ["en", mixed],
        ["es", articles],
      ]),
    );
    for (const minLength of [2, 20, 90, 300]) {
      const bound = statistics.bound(6, minLength);
      for (const lengths of [mixed, articles])
        for (const length of [minLength, minLength + 1, minLength * 3])
          expect((2.2 * 6) / (6 + normOf(length, lengths))).toBeLessThanOrEqual(bound);
    }
    expect(statistics.bound(6, 20)).toBe((2.2 * 6) / (6 + normOf(20, articles)));
  });
});
