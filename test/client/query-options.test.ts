import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLake, type LakeClient, openLake } from "../../src/index.js";
import { EMBEDDER, QUICK } from "../evolution/support.js";

let dir: string;
let lake: LakeClient;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-query-options-"));
  await createLake(join(dir, "lake"), [{ platform: "forum", lang: "en", text: "a" }], QUICK);
  lake = await openLake(join(dir, "lake"), { embedder: EMBEDDER, account: "memory", openingBalance: "2.5" });
});
afterAll(async () => {
  await lake.close();
  await rm(dir, { recursive: true, force: true });
});

type Loose = (...args: readonly unknown[]) => unknown;
const loose =
  (call: unknown) =>
  async (...args: readonly unknown[]) =>
    (call as Loose)(...args);

describe("options of queries", () => {
  it.each([
    [
      "export",
      ["x.csv", {}],
      "export: format is missing, it must be one of parquet, jsonl, jsonl.gz, csv, arrow",
    ],
    ["export", ["x.csv", { format: "cvs" }], 'did you mean "csv"?'],
    ["export", ["x.csv", undefined], "export takes an object of options with `format`, not undefined"],
    ["arrow", [{ platform: "forum" }], "arrow: there is no option platform, did you mean platforms?"],
    ["arrow", [{}, { vector: true }], "arrow: there is no option vector, did you mean vectors?"],
    ["sql", ["SELECT 1", [], { as: "rowz" }], 'did you mean "rows"?'],
    ["sql", [undefined], "sql: text is missing"],
    ["sqlStream", ["SELECT 1", 3], "sqlStream: params is 3"],
    [
      "sql",
      ["SELECT 1", { signal: new AbortController().signal }],
      "sql: params has signal, which the query has no parameter $signal for; options come after params",
    ],
    ["sqlStream", ["SELECT 1", { timeoutMs: 5 }], "sqlStream: params has timeoutMs"],
    ["sql", ["SELECT 1", new AbortController().signal], "sql: params is an object of type AbortSignal"],
    ["sql", ["SELECT 1", new Map([["a", 1]])], "sql: params is an object of type Map"],
    [
      "sql",
      ["SELECT 1", [], new AbortController().signal],
      "sql takes an object of options, not an AbortSignal",
    ],
    ["search", [{ query: "a" }, new AbortController().signal], "search takes an object of options"],
  ] as const)("%s refuses %j", async (name, args, message) => {
    const error = await loose(lake[name])(...args).catch((e: unknown) => e);
    expect(error).toMatchObject({ name: "UsageError" });
    expect((error as Error).message).toContain(message);
    expect(await readdir(dir)).toEqual(["lake"]);
  });

  it("what is no object of parameters is refused as the service refuses it", async () => {
    for (const params of [undefined, null, "a", 3]) {
      await expect(loose(lake.search)(params)).rejects.toMatchObject({ code: "invalid_params" });
    }
  });

  it("a parameter may have the name of an option", async () => {
    expect(await lake.sql("SELECT $signal::INT AS n", { signal: 3 })).toEqual([{ n: 3 }]);
  });

  it("says what to give for a Date among the parameters", async () => {
    const error = await loose(lake.sql)("SELECT ?", [new Date(0)]).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "sql_params", remedy: expect.stringContaining("toISOString()") });
  });

  it("an opening balance is decimal USD, as on the wire", async () => {
    const { data } = await lake.call("account.show", {});
    expect(JSON.stringify(data)).toContain('"2.500000"');
  });
});
