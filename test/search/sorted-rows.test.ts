import fc from "fast-check";
import { expect, test } from "vitest";
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
