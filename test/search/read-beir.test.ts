import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { evaluate } from "../../src/search/eval/evaluate.js";
import { capture } from "../cli/capture.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-beir-"));
  await mkdir(join(dir, "qrels"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const lines = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
async function write(corpus: readonly string[], queries: readonly string[], grades: readonly string[]) {
  await writeFile(join(dir, "corpus.jsonl"), lines(corpus.map((_id) => ({ _id, text: `boats ${_id}` }))));
  await writeFile(join(dir, "queries.jsonl"), lines(queries.map((_id) => ({ _id, text: "boats" }))));
  await writeFile(join(dir, "qrels/test.tsv"), `query-id\tcorpus-id\tscore\n${grades.join("\n")}\n`);
}
const measured = () => evaluate(dir, { detectLanguage: () => "en", threads: 0 });

it("refuses a passage's id that is repeated, with its line: it would count twice", async () => {
  await write(["a", "b", "a"], ["q"], ["q\ta\t1"]);
  await expect(measured()).rejects.toMatchObject({
    code: "beir_repeated_id",
    value: "a",
    message: expect.stringContaining("corpus.jsonl:3"),
  });
});

it("refuses a query's id that is repeated, with its line", async () => {
  await write(["a"], ["q", "q"], ["q\ta\t1"]);
  await expect(measured()).rejects.toMatchObject({
    code: "beir_repeated_id",
    message: expect.stringContaining("queries.jsonl:2"),
  });
});

it.each([
  ["grades are all 0", ["q\ta\t0"]],
  ["are of other queries", ["r\ta\t1"]],
])("refuses a collection whose judgments %s", async (_, grades) => {
  await write(["a"], ["q"], grades);
  await expect(measured()).rejects.toMatchObject({ code: "beir_unjudged" });
  const { code, err } = await capture(["eval", dir]);
  expect(code).toBe(1);
  expect(err).toContain("has a grade above 0");
});

it.each([
  ["a grade that is no number", ["q\ta\t1", "q\tb\thigh"], 3, "high"],
  ["no grade", ["q\ta\t1", "q\tb\t"], 3, "q"],
  ["two columns", ["q\ta"], 2, "q"],
  ["another grade for a judged passage", ["q\ta\t1", "q\tb\t1", "q\ta\t2"], 4, "line 2"],
])("refuses a judgment with %s, with file and line", async (_, grades, line, word) => {
  await write(["a", "b"], ["q"], grades);
  const place = `${join("qrels", "test.tsv")}:${line}`;
  await expect(measured()).rejects.toMatchObject({
    code: "beir_unreadable",
    value: expect.stringContaining(place),
    message: expect.stringContaining(word),
  });
  const { code, err } = await capture(["eval", dir]);
  expect(code).toBe(1);
  expect(err).toContain(place);
});

it("says what is wrong with a line that is no passage", async () => {
  await write(["a"], ["q"], ["q\ta\t1"]);
  await writeFile(join(dir, "corpus.jsonl"), `${JSON.stringify({ _id: "a" })}\n{"text": 1}\n`);
  await expect(measured()).rejects.toMatchObject({
    code: "beir_unreadable",
    message: expect.stringMatching(/corpus\.jsonl:2: .*_id.*required/),
  });
});

it("counts judgments of what the collection does not have, and queries that are left out", async () => {
  await write(["a", "b"], ["q", "r", "s"], ["q\ta\t1", "q\tx\t1", "q\ty\t0", "r\tb\t0", "t\ta\t1"]);
  const counts = {
    judgments: { total: 5, ofUnknownPassages: 2, ofUnknownQueries: 1 },
    unjudgedQueries: 2,
  };
  expect(await measured()).toMatchObject({ queries: 1, ...counts });
  expect(JSON.parse((await capture(["eval", dir, "--json"])).out)).toMatchObject(counts);
  const sentence =
    "Of 5 judgments 2 are of passages that corpus.jsonl does not have, 1 of queries that queries.jsonl does not have. 2 queries without a relevant passage are left out.";
  expect(flat((await capture(["eval", dir])).out)).toContain(sentence);
  const mixed = ["eval", dir, "--distractors", dir];
  expect(JSON.parse((await capture([...mixed, "--json"])).out)).toMatchObject(counts);
  expect(flat((await capture(mixed)).out)).toContain(sentence);
});

it("says nothing of judgments where all are of what there is", async () => {
  await write(["a"], ["q"], ["q\ta\t1"]);
  expect((await capture(["eval", dir])).out).not.toContain("judgment");
  expect(await measured()).toMatchObject({
    judgments: { total: 1, ofUnknownPassages: 0, ofUnknownQueries: 0 },
    unjudgedQueries: 0,
  });
});

const flat = (text: string) => text.replace(/\s+/g, " ");
