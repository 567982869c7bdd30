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
