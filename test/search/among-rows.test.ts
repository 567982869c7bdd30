import fc from "fast-check";
import { expect, test } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { countOf, listOf, rowsWithin } from "../../src/search/vector/among-rows.js";
import { likelyFloorAmong } from "../../src/search/vector/scores/top-k-places.js";

/** Sizes of segments, and rows of all of them: each row is drawn with some likelihood. */
const index = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 5 }),
    fc.integer({ min: 1, max: 100 }),
  )
  .chain(([sizes, one]) => {
    const size = sizes.reduce((sum, count) => sum + count, 0);
    const drawn = fc.array(fc.nat(one), { minLength: size, maxLength: size });
    return fc.tuple(
      fc.constant(sizes),
      drawn.map((numbers) => numbers.flatMap((n, row) => (n === 0 ? [row] : []))),
      fc.boolean(),
    );
  });

test("the rows of each segment are those of the index, counted from its first", () => {
  fc.assert(
    fc.property(index, ([sizes, drawn, inverse]) => {
      const size = sizes.reduce((sum, count) => sum + count, 0);
      const some = RowSet.of(size, drawn);
      const rows = inverse ? RowSet.all(size).minus(some) : some;
      let first = 0;
      for (const count of sizes) {
        const own = [...rows.rows()]
          .filter((row) => row >= first && row < first + count)
          .map((row) => row - first);
        const among = rowsWithin(rows.bits, first, count);
        if (among === undefined) expect(own).toHaveLength(count);
        else {
          expect([...listOf(among)]).toEqual(own);
          expect(countOf(among)).toBe(own.length);
        }
        first += count;
      }
    }),
  );
});

test("few rows are a list, and many are bits", () => {
  const size = 10_000;
  const every = (step: number) => RowSet.fromPredicate(size, (row) => row % step === 0).bits;
  expect(rowsWithin(every(40), 0, size)).toBeInstanceOf(Uint32Array);
  expect(rowsWithin(every(20), 0, size)).toMatchObject({ count: 500 });
  expect(rowsWithin(every(1), 0, size)).toBeUndefined();
});

test("a sample of the sums of some rows gives a floor that enough of them reach", () => {
  const count = 40_000;
  const sums = Uint16Array.from(
    { length: count },
    (_, row) => (Math.imul(row, 2_654_435_761) >>> 16) % 5_000,
  );
  for (const step of [1, 2, 3, 8, 20, 32]) {
    const { bits, count: passing } = RowSet.fromPredicate(count, (row) => row % step === 0);
    const floor = likelyFloorAmong(sums, 500, { bits, count: passing });
    const reached = sums.filter((sum, row) => row % step === 0 && sum >= floor).length;
    expect(reached).toBeGreaterThanOrEqual(500);
    expect(reached).toBeLessThan(1_500);
  }
});
