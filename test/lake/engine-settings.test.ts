import { expect, test } from "vitest";
import { type ChangedSettings, EngineSettings } from "../../src/duckdb/engine-settings.js";

/** The statements of one change. */
async function statements(settings: EngineSettings, change: ChangedSettings): Promise<string[]> {
  const run: string[] = [];
  await settings.change(change, (statement) => run.push(statement));
  return run;
}

test("an engine is set to what it is not set to, and to nothing else", async () => {
  const settings = new EngineSettings();
  const first = { threads: 1, memoryLimit: "it's 1GB", ordered: undefined };
  expect(await statements(settings, first)).toEqual([
    "SET GLOBAL threads = 1",
    "SET GLOBAL memory_limit = 'it''s 1GB'",
    "RESET GLOBAL preserve_insertion_order",
  ]);
  expect(await statements(settings, first)).toEqual([]);
  expect(await statements(settings, { ordered: false })).toEqual([
    "SET GLOBAL preserve_insertion_order = false",
  ]);
  expect(await statements(settings, { ...first, threads: undefined })).toEqual([
    "RESET GLOBAL threads",
    "RESET GLOBAL preserve_insertion_order",
  ]);
});

test("an engine is not set to what it was started with", async () => {
  const settings = new EngineSettings({ threads: 1, memoryLimit: undefined });
  expect(await statements(settings, { threads: 1, memoryLimit: undefined, ordered: undefined })).toEqual([
    "RESET GLOBAL preserve_insertion_order",
  ]);
});

test("a statement that fails is run again at the next change", async () => {
  const settings = new EngineSettings();
  await statements(settings, { threads: 2 });
  const fail = () => Promise.reject(new Error("no"));
  await expect(settings.change({ threads: 3 }, fail)).rejects.toThrow("no");
  expect(await statements(settings, { threads: 2 })).toEqual(["SET GLOBAL threads = 2"]);
});

test("the distance of an engine is the number of statements that a change runs", async () => {
  const settings = new EngineSettings();
  const first = { threads: 1, memoryLimit: "1GB", ordered: undefined };
  expect(settings.distance(first)).toBe(3);
  await statements(settings, first);
  for (const change of [first, { ...first, threads: 2 }, { memoryLimit: undefined }, {}, { ordered: true }]) {
    const expected = settings.distance(change);
    expect((await statements(settings, change)).length).toBe(expected);
    await statements(settings, first);
  }
});
