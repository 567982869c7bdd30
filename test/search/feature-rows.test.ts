import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FeatureRows } from "../../src/search/embed/feature-rows.js";
import { GatherTable } from "../../src/search/fit/gather-table.js";

const [DIMS, ROOM, KEPT] = [1536, 6, 4];

/** Bytes that tell which vector they are of. */
const byteOf = (vector: number, at: number) => ((vector * 31 + at * 7) % 255) - 127;

async function rowsOf(fails: (vector: number) => boolean = () => false) {
  const table = await GatherTable.create({ dims: DIMS, rows: ROOM, lists: 1, entries: ROOM });
  const read: number[] = [];
  const vectors = {
    read(first: number, _count: number, into: Int8Array) {
      if (fails(first)) throw new RangeError("the file is too short");
      read.push(first);
      into.forEach((_, at) => {
        into[at] = byteOf(first, at);
      });
    },
  };
  return { rows: new FeatureRows(table, vectors, KEPT), table, read };
}

/** Expects a row of the table to have a vector's bytes. */
function expectVector(table: GatherTable, row: number, vector: number): void {
  for (const first of [0, 64, DIMS - 64]) {
    const block = table.block(first).subarray(row * 64, row * 64 + 64);
    expect([...block]).toEqual(Array.from(block, (_, i) => byteOf(vector, first + i)));
  }
}

describe("rows of feature vectors", () => {
  it("have the vectors that are asked for, whatever was asked before, also where a read failed", async () => {
    const vector = fc.nat(20);
    const texts = fc.array(fc.array(vector, { maxLength: ROOM }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(20), async (asked, broken) => {
        const { rows, table } = await rowsOf((of) => of === broken);
        for (const wanted of asked) {
          if (wanted.includes(broken)) {
            expect(() => rows.of(Uint32Array.from(wanted))).toThrow(RangeError);
            continue;
          }
          const found = rows.of(Uint32Array.from(wanted));
          wanted.forEach((of, i) => {
            expectVector(table, found[i]!, of);
          });
        }
      }),
    );
  });

  it("keep those that were used last", async () => {
    const { rows, read } = await rowsOf();
    rows.of(Uint32Array.of(0, 1, 2, 3));
    rows.of(Uint32Array.of(0, 0, 1));
    expect(read).toEqual([0, 1, 2, 3]);
    rows.of(Uint32Array.of(7, 0, 8));
    rows.of(Uint32Array.of(0, 1, 7, 8));
    expect(read).toEqual([0, 1, 2, 3, 7, 8]);
    rows.of(Uint32Array.of(2));
    expect(read.at(-1)).toBe(2);
    // A text of more than stay.
    rows.of(Uint32Array.of(10, 11, 12, 13, 14, 15));
    const all = read.length;
    rows.of(Uint32Array.of(10, 11, 12, 13, 14, 15));
    expect(read.length).toBe(all);
  });
});
