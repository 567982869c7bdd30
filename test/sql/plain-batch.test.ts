import { expect, test } from "vitest";
import { type PlainBatch, pieces, plainRows } from "../../src/duckdb/results/plain-batch.js";

const LENGTH = 300;
const WIDTH = 1536;

test("a batch of vectors comes in pieces, and others get their turn between them", async () => {
  const batch: PlainBatch = {
    names: ["n", "vec", "list"],
    types: ["INTEGER", `FLOAT[${WIDTH}]`, "VARCHAR"],
    length: LENGTH,
    columns: [
      { numbers: Int32Array.from({ length: LENGTH }, (_, i) => i) },
      { vectors: Float32Array.from({ length: LENGTH * WIDTH }, (_, i) => i), width: WIDTH },
      { values: Array.from({ length: LENGTH }, (_, i) => `t${i}`) },
    ],
  };
  let turns = 0;
  const seen: number[] = [];
  const rows: unknown[] = [];
  for await (const piece of pieces(batch)) {
    expect(piece.length).toBeLessThan(100);
    seen.push(turns);
    setImmediate(() => turns++);
    rows.push(...piece);
  }
  expect(rows).toEqual(plainRows(batch));
  expect(seen).toEqual(seen.map((_, i) => i));
  expect(seen.length).toBeGreaterThan(3);
});

test("a narrow batch is one piece, an empty one none", async () => {
  const batch = {
    names: ["n"],
    types: ["INTEGER"],
    length: 2048,
    columns: [{ numbers: new Int32Array(2048) }],
  };
  const lengths: number[] = [];
  for await (const piece of pieces(batch)) lengths.push(piece.length);
  for await (const piece of pieces({ ...batch, length: 0, columns: [{ values: [] }] }))
    lengths.push(piece.length);
  expect(lengths).toEqual([2048]);
});
