import fc from "fast-check";
import { expect, test } from "vitest";
import { fuse } from "../../src/search/fusion.js";
import { RowNumbers } from "../../src/search/row-numbers.js";
import { sortedRows } from "../../src/search/sorted-rows.js";

/** Numbers that come close to one another: equal, apart by their lowest bits, of either sign. */
const score = fc.oneof(
  fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
  fc.integer({ min: -2, max: 2 }),
  fc.integer({ min: 0, max: 40 }).map((i) => 1 + i * Number.EPSILON),
  fc.constantFrom(0, -0, Number.MIN_VALUE, -Number.MIN_VALUE),
);

test("sorts as a comparator would, ties in the given order", () => {
  fc.assert(
    fc.property(fc.array(score, { maxLength: 600 }), fc.nat({ max: 700 }), (scores, limit) => {
      const rows = scores.map((_, i) => (i * 7919) % 10_007);
      const byRow = (a: number, b: number) => b - a;
      const wanted = scores
        .map((value, i) => ({ row: rows[i]!, value: value + 0 }))
        .sort((a, b) => b.value - a.value || byRow(a.row, b.row))
        .slice(0, limit);
      const found = sortedRows(rows, scores, byRow, limit);
      expect(found.rows).toEqual(wanted.map(({ row }) => row));
      expect(found.scores.map((value) => value + 0)).toEqual(wanted.map(({ value }) => value));
    }),
  );
});

test("keeps all rows by default", () => {
  expect(sortedRows([4, 2, 9], [1, 3, 2], (a, b) => a - b)).toEqual({ rows: [2, 9, 4], scores: [3, 2, 1] });
  expect(sortedRows([], [], (a, b) => a - b)).toEqual({ rows: [], scores: [] });
});

test("sorts scores that fill one range of many, and those in it, without many steps", () => {
  // All but one in the first range of scores, in the order that is worst for insertion.
  const scores = [1e9, ...Array.from({ length: 2_000 }, (_, i) => i / 2_000)];
  let ties = 0;
  const found = sortedRows(
    scores.map((_, i) => i),
    scores,
    () => {
      ties += 1;
      return 0;
    },
  );
  expect(found.rows).toEqual([0, ...Array.from({ length: 2_000 }, (_, i) => 2_000 - i)]);
  expect(ties).toBe(0);
});

test("numbers rows in the order in which they come", () => {
  // Rows that are multiples of large powers of two, neighbours, and the greatest there are.
  const row = fc.oneof(
    fc.nat(40),
    fc.nat(200).map((i) => i * 2 ** 20),
    fc.integer({ min: 2 ** 31 - 9, max: 2 ** 31 - 1 }),
  );
  fc.assert(
    fc.property(fc.array(row, { maxLength: 300, size: "max" }), (rows) => {
      const numbers = new RowNumbers(rows.length);
      const seen = [...new Set(rows)];
      expect(rows.map((each) => numbers.numberOf(each))).toEqual(rows.map((each) => seen.indexOf(each)));
      expect([...numbers.rows()]).toEqual(seen);
      expect(numbers.count).toBe(seen.length);
    }),
  );
});

test("fuses as sums by row do", () => {
  const ranking = fc.record({
    rows: fc.uniqueArray(fc.nat(300), { maxLength: 120, size: "max" }),
    weight: fc.double({ min: 0.1, max: 2, noNaN: true }),
    constant: fc.nat(60),
  });
  const byRow = (a: number, b: number) => a - b;
  fc.assert(
    fc.property(fc.array(ranking, { maxLength: 3 }), fc.nat(200), (rankings, limit) => {
      const sums = new Map<number, number>();
      for (const { rows, weight, constant } of rankings)
        for (const [i, row] of rows.entries())
          sums.set(row, (sums.get(row) ?? 0) + weight / (constant + i + 1));
      const expected = [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, limit);
      const { rows, scores } = fuse(rankings, limit, byRow);
      expect(rows.map((row, i) => [row, scores[i]])).toEqual(expected);
    }),
  );
});
