import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { evaluateMixed, readCollections } from "../../src/search/eval/evaluate-mixed.js";

const detectLanguage = () => "en";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-mixed-"));
  await write("boats", [["1", "A sailing boat in the harbour", "en", "harbour boat"]]);
  await write("tea", [
    ["1", "Green tea from the hills", "en", "green tea"],
    ["2", "Té verde de las colinas", "es", "colinas verde"],
  ]);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function write(name: string, rows: readonly (readonly [string, string, string, string])[]) {
  await mkdir(join(dir, name, "qrels"), { recursive: true });
  const lines = (of: readonly unknown[]) => `${of.map((line) => JSON.stringify(line)).join("\n")}\n`;
  await writeFile(
    join(dir, name, "corpus.jsonl"),
    lines(rows.map(([_id, text, lang]) => ({ _id, text, lang }))),
  );
  await writeFile(
    join(dir, name, "queries.jsonl"),
    lines(rows.map(([_id, , lang, text]) => ({ _id: `q${_id}`, text, lang }))),
  );
  const judged = rows.map(([id]) => `q${id}\t${id}\t1`).join("\n");
  await writeFile(join(dir, name, "qrels/test.tsv"), `query-id\tcorpus-id\tscore\n${judged}\n`);
}

describe("a mixed lake of judged collections", () => {
  it("has a collection per language, and tells equal ids of two collections apart", async () => {
    const collections = [
      ...(await readCollections(join(dir, "boats"), "boats")),
      ...(await readCollections(join(dir, "tea"), "tea")),
    ];
    expect(collections.map(({ name }) => name)).toEqual(["boats", "tea en", "tea es"]);
    const report = await evaluateMixed(collections, {
      detectLanguage,
      threads: 0,
      unanswerable: ["xqzjvkw", "train"],
      async *distractors() {
        yield [
          { _id: "1", text: "Rain is expected" },
          { _id: "2", text: "A train was late" },
        ];
      },
    });
    expect(report).toMatchObject({ passages: 5, distractors: 2, answered: ["train"] });
    for (const { passages, queries, alone, together } of report.collections) {
      expect([passages, queries]).toEqual([1, 1]);
      for (const modes of [alone, together])
        expect(modes.find(({ mode }) => mode === "keyword")).toMatchObject({ ndcg10: 1, recall100: 1 });
    }
  });

  it("is one collection where a language has passages or queries alone: none would be measured", async () => {
    await write("mixed", [
      ["1", "Green tea from the hills", "en", "green tea"],
      ["2", "T\u00e9 verde de las colinas", "es", "colinas verde"],
    ]);
    const queries = [
      { _id: "q1", text: "green tea", lang: "en" },
      { _id: "q2", text: "thé vert", lang: "fr" },
    ];
    await writeFile(join(dir, "mixed/queries.jsonl"), queries.map((one) => JSON.stringify(one)).join("\n"));
    const collections = await readCollections(join(dir, "mixed"), "mixed");
    expect(collections.map(({ name, queries: { length } }) => [name, length])).toEqual([["mixed", 2]]);
  });
});
