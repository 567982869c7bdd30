import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shareOut, threadsFor } from "../../src/search/segment/share-out.js";

const MANY = 262_144;

describe("sets for search threads", () => {
  it("stay together where they are small; the second thread has no set where there is a large one only", () => {
    expect(shareOut([MANY * 2], threadsFor(MANY * 2))).toEqual([[0], []]);
    expect(shareOut([MANY - 1], threadsFor(MANY - 1))).toEqual([[0]]);
    expect(shareOut([1000, 100_000, 5], threadsFor(101_005))).toEqual([[1, 0, 2]]);
  });

  it("are shared out evenly, each to one thread", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 524_288 }), { minLength: 2, maxLength: 12 }),
        (counts) => {
          const rows = [...counts, MANY];
          const shares = shareOut(rows, 2);
          expect(shares.flat().sort((a, b) => a - b)).toEqual([...rows.keys()]);
          const [one, two] = shares.map((sets) => sets.reduce((sum, set) => sum + rows[set]!, 0));
          expect(shares).toHaveLength(2);
          expect(Math.abs(one! - two!)).toBeLessThanOrEqual(Math.max(...rows));
        },
      ),
    );
  });
});
