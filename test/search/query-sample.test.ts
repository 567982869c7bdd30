import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { QuerySample } from "../../src/search/segment/query-sample.js";
import { squareRootShares } from "../../src/search/segment/square-root-shares.js";

describe("a sample divided among groups", () => {
  const groups = fc.array(fc.record({ count: fc.nat(100_000), most: fc.nat(200) }), { maxLength: 30 });

  test("is all given, where the groups have that many, and no group gets more than it has", () => {
    fc.assert(
      fc.property(groups, fc.nat(200), (of, total) => {
        const shares = squareRootShares(of, total);
        const possible = of.filter(({ count }) => count > 0).reduce((sum, { most }) => sum + most, 0);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(Math.min(total, possible));
        for (const [i, share] of shares.entries()) expect(share).toBeLessThanOrEqual(of[i]!.most);
      }),
    );
  });

  test("follows the square roots of their counts", () => {
    const most = 128;
    const of = [40_000, 10_000, 2_500, 100, 100].map((count) => ({ count, most }));
    expect(squareRootShares(of, 74)).toEqual([40, 20, 10, 2, 2]);
  });
});

describe("queries of a sample", () => {
  const offerAll = (rows: readonly number[]) => {
    const sample = new QuerySample();
    for (const row of rows)
      sample.offer(row, {
        id: `web_gnw_${row}`,
        lang: row % 50 === 0 ? "ro-RO" : "en",
        text: row % 50 === 0 ? `vremea ploaie numarul ${row}` : `weather rain number ${row}`,
      });
    return sample.texts();
  };
  const rows = Array.from({ length: 5_000 }, (_, row) => row);

  test("are of small languages, too, and the same in whatever order the rows come", () => {
    const texts = offerAll(rows);
    expect(texts).toHaveLength(128);
    // A fiftieth of the records: the square roots are as 7 to 1.
    expect(texts.filter((text) => /vremea|ploaie|numarul/.test(text))).toHaveLength(16);
    expect(offerAll(rows.toReversed())).toEqual(texts);
  });

  test("are fewer where there are fewer texts, and none of records without one", () => {
    const sample = new QuerySample();
    sample.offer(0, { id: "web_gnw_0", lang: "en", text: "  " });
    sample.offer(1, { id: "web_gnw_1", lang: "en", text: "a single text of some words" });
    expect(sample.texts()).toHaveLength(1);
  });
});
