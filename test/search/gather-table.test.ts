import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BLOCK, GatherTable } from "../../src/search/fit/gather-table.js";
import { runs } from "../support/campaign.js";

const [DIMS, ROWS, LISTS, ENTRIES] = [128, 20, 4, 30];
const room = { dims: DIMS, rows: ROWS, lists: LISTS, entries: ENTRIES };
const bytes = Int8Array.from({ length: ROWS * DIMS }, (_, i) => ((i * 37) % 255) - 127);

async function filled(): Promise<GatherTable> {
  const table = await GatherTable.create(room);
  for (let row = 0; row < ROWS; row += 1)
    table.fill(Uint32Array.of(row), (into) => into.set(bytes.subarray(row * DIMS, (row + 1) * DIMS)));
  return table;
}

describe("a table that sums rows", () => {
  it("gives every list's sum, as exactly as weights of 15 bits can be", async () => {
    const table = await filled();
    const list = fc
      .array(fc.tuple(fc.nat(ROWS - 1), fc.double({ min: 1e-6, max: 1e3, noNaN: true })), { maxLength: 7 })
      .map((entries) => ({
        rows: Uint32Array.from(entries, ([row]) => row),
        weights: Float32Array.from(entries, ([, weight]) => weight),
      }));
    fc.assert(
      fc.property(fc.array(list, { maxLength: LISTS }), (lists) => {
        for (const { rows, weights } of lists) expect(table.add(rows, weights)).toBe(true);
        const sums = table.gather();
        expect(sums.length).toBe(lists.length * DIMS);
        lists.forEach(({ rows, weights }, n) => {
          const largest = Math.max(0, ...weights);
          for (let k = 0; k < DIMS; k += 1) {
            const exact = rows.reduce((sum, row, i) => sum + weights[i]! * bytes[row * DIMS + k]!, 0);
            const error = Math.abs(sums[n * DIMS + k]! - exact);
            expect(error).toBeLessThanOrEqual(largest * (rows.length * 127) * 2 ** -15 + 1e-9);
          }
        });
      }),
      runs(50),
    );
  });

  it("keeps sums of many large weights within 31 bits", async () => {
    const many = 3000;
    const table = await GatherTable.create({ dims: 64, rows: 1, lists: 1, entries: many });
    table.fill(Uint32Array.of(0), (into) => into.fill(127));
    table.add(new Uint32Array(many), new Float32Array(many).fill(1));
    for (const sum of table.gather()) expect(sum / (many * 127)).toBeCloseTo(1, 3);
  });

  it("says when a batch is full, and refuses a list that no batch holds", async () => {
    const table = await filled();
    const [rows, weights] = [new Uint32Array(ENTRIES), new Float32Array(ENTRIES).fill(1)];
    expect(table.add(rows, weights)).toBe(true);
    expect(table.add(rows, weights)).toBe(false);
    expect(table.gather().length).toBe(DIMS);
    for (let i = 0; i < LISTS; i += 1) expect(table.add(new Uint32Array(1), new Float32Array(1))).toBe(true);
    expect(table.add(new Uint32Array(1), new Float32Array(1))).toBe(false);
    table.gather();
    expect(() => table.add(new Uint32Array(99), new Float32Array(99))).toThrow(RangeError);
  });

  it("places a vector where filling puts the same bytes", async () => {
    const [placed, dealt] = [await GatherTable.create(room), await filled()];
    for (let row = 0; row < ROWS; row += 1) {
      placed.vector.set(Float32Array.from(bytes.subarray(row * DIMS, (row + 1) * DIMS), (byte) => byte / 2));
      placed.place(row, 2);
    }
    for (let first = 0; first < DIMS; first += BLOCK) expect(placed.block(first)).toEqual(dealt.block(first));
  });
});
