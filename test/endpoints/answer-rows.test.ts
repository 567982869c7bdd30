import { describe, expect, test } from "vitest";
import { AnswerRows } from "../../src/endpoints/answer-rows.js";

/** A corpus and an index whose rows are their own records and vectors, and what was read of them. */
function source(failing: (row: number) => boolean = () => false) {
  const read: number[] = [];
  const corpus = {
    records: async (rows: readonly number[]) => {
      read.push(...rows);
      if (rows.some(failing)) throw new RangeError("a row was removed");
      return rows.map((row) => ({ id: `row ${row}` }));
    },
  };
  const index = { vectors: async (rows: readonly number[]) => rows.map((row) => Float32Array.of(row)) };
  return { read, source: { corpus, index } as never };
}

describe("the rows of an answer", () => {
  test("are read once, those that were read ahead and the others, in the order of the answer", async () => {
    const { read, source: from } = source();
    const rows = new AnswerRows(from, true);
    rows.begin([4, 2, 9]);
    const answer = await rows.read([2, 7, 9, 1]);
    expect(answer.map(({ record }) => record.id)).toEqual(["row 2", "row 7", "row 9", "row 1"]);
    expect(answer.map(({ vector }) => vector![0])).toEqual([2, 7, 9, 1]);
    expect(read).toEqual([4, 2, 9, 7, 1]);
  });

  test("have no vectors where none are wanted", async () => {
    const { source: from } = source();
    const [row] = await new AnswerRows(from, false).read([3]);
    expect(row!.vector).toBeUndefined();
  });

  test("do not fail for a row that only seemed likely", async () => {
    const { source: from } = source((row) => row === 4);
    const rows = new AnswerRows(from, true);
    rows.begin([4, 2]);
    expect((await rows.read([2, 1])).map(({ record }) => record.id)).toEqual(["row 2", "row 1"]);
  });

  test("fail for one that is in the answer", async () => {
    const { source: from } = source((row) => row === 4);
    const rows = new AnswerRows(from, true);
    rows.begin([4, 2]);
    await expect(rows.read([4, 2])).rejects.toThrow("a row was removed");
  });
});
