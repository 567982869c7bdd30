import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { Database } from "../../src/duckdb/database.js";
import { notRemoved } from "../../src/store/raw-filter.js";
import { runs } from "../support/campaign.js";

const sets = fc.nat(200).chain((size) =>
  fc.record({
    size: fc.constant(size),
    a: fc.array(fc.nat(Math.max(0, size - 1)), { maxLength: size }),
    b: fc.array(fc.nat(Math.max(0, size - 1)), { maxLength: size }),
  }),
);

describe("RowSet", () => {
  it("behaves as a set of integers", () => {
    fc.assert(
      fc.property(sets, ({ size, a, b }) => {
        const [left, right] = [RowSet.of(size, a), RowSet.of(size, b)];
        const [x, y] = [new Set(a), new Set(b)];
        const sorted = (s: Iterable<number>) => [...s].sort((p, q) => p - q);
        expect([...left.rows()]).toEqual(sorted(x));
        expect(left.count).toBe(x.size);
        expect([...left.and(right).rows()]).toEqual(sorted([...x].filter((r) => y.has(r))));
        expect([...left.or(right).rows()]).toEqual(sorted(new Set([...x, ...y])));
        expect([...left.minus(right).rows()]).toEqual(sorted([...x].filter((r) => !y.has(r))));
        expect([...RowSet.all(size).minus(left).rows()].length).toBe(size - x.size);
        expect(RowSet.fromPredicate(size, (r) => x.has(r)).bits).toEqual(left.bits);
        expect(RowSet.fromBits(size, left.bits).rows()).toEqual(left.rows());
        for (let row = -1; row <= size; row++) expect(left.has(row)).toBe(x.has(row));
      }),
    );
  });

  it("holds every row and none", () => {
    for (const size of [0, 1, 31, 32, 33, 64, 1000]) {
      expect(RowSet.all(size).count).toBe(size);
      expect(RowSet.none(size).count).toBe(0);
      expect([...RowSet.all(size).rows()]).toEqual(Array.from({ length: size }, (_, i) => i));
    }
  });

  it("refuses rows outside its size and sets of another size", () => {
    expect(() => RowSet.of(3, [3])).toThrow(RangeError);
    expect(() => RowSet.of(3, [-1])).toThrow(RangeError);
    expect(() => RowSet.all(3).and(RowSet.all(4))).toThrow(RangeError);
    expect(() => RowSet.fromBits(3, new Uint32Array([8]))).toThrow(RangeError);
    expect(() => RowSet.all(-1)).toThrow(RangeError);
  });
});

it("rows that were removed are left out by the engine, which gets them as bits, however many they are", async () => {
  const db = await Database.open(":memory:");
  const all = Array.from({ length: 2500 }, (_, row) => row);
  await db.run(`CREATE TABLE raw AS SELECT range::INTEGER AS "row" FROM range(${all.length})`);
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uniqueArray(fc.nat(all.length - 1), { minLength: 1, maxLength: 40 }),
          fc.nat(all.length - 1).map((from) => all.slice(from)),
        ),
        async (removed) => {
          const [condition, ...params] = notRemoved(removed);
          const sql = `SELECT "row" FROM raw WHERE ${condition} ORDER BY "row"`;
          const rows = await db.rows<{ row: number }>(sql, params);
          expect(rows.map(({ row }) => row)).toEqual(all.filter((row) => !removed.includes(row)));
          expect(params.filter(Array.isArray)).toEqual([]);
        },
      ),
      runs(60),
    );
  } finally {
    await db.close();
  }
});
