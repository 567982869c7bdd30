import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeptRows } from "../../src/search/vector/kept-rows.js";

const places = (rows: KeptRows, count: number) => Array.from({ length: count }, (_, row) => rows.place(row));
const shareOf = fc.double({ min: 0, max: 1, noNaN: true });

describe("rows whose vectors are kept in memory", () => {
  it("are at first as many as have room, evenly spread, each in a place of its own", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), shareOf, (count, share) => {
        const rows = new KeptRows(count, Math.floor(count * share));
        const all = places(rows, count);
        const found = all.filter((place) => place !== undefined);
        expect(found).toEqual(Array.from({ length: rows.kept }, (_, place) => place));
        const half = all.slice(0, Math.floor(count / 2)).filter((place) => place !== undefined);
        expect(Math.abs(half.length - rows.kept / 2)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("are as many ever after, each in a place of its own, and the last one that was kept is among them", () => {
    const count = 200;
    const asked = fc.array(fc.integer({ min: 0, max: count - 1 }), { maxLength: 500 });
    fc.assert(
      fc.property(shareOf, asked, (share, wanted) => {
        const rows = new KeptRows(count, Math.floor(count * share));
        for (const row of wanted) {
          if (rows.place(row) !== undefined) continue;
          const place = rows.keep(row);
          expect(rows.place(row)).toBe(place);
        }
        const found = places(rows, count).filter((place) => place !== undefined);
        expect(found.toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: rows.kept }, (_, place) => place),
        );
      }),
    );
  });

  it("stay for another round where they were found since", () => {
    const rows = new KeptRows(10, 3);
    const kept = () => [...Array(10).keys()].filter((row) => rows.has(row));
    expect(kept()).toEqual([3, 6, 9]);
    rows.place(3);
    expect(rows.keep(0)).toBe(1);
    expect(kept()).toEqual([0, 3, 9]);
    expect(rows.keep(1)).toBe(2);
    expect(rows.keep(2)).toBe(0);
    expect(kept()).toEqual([0, 1, 2]);
  });

  it("are none where there is no room, and do not change where all have some", () => {
    const none = new KeptRows(10, 0);
    expect(none.keep(3)).toBeUndefined();
    expect(none.all).toBe(false);
    const all = new KeptRows(10, 10);
    expect(all.all).toBe(true);
    expect(all.place(7)).toBe(7);
  });
});
