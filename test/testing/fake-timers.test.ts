import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { connect, openLake, startServer } from "mirrorlake";
import { createTestLake } from "mirrorlake/testing";
import { tools } from "mirrorlake/tools";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createTestLake as createHere } from "../../src/testing/create-test-lake.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

const OPTIONS = { account: "memory", asOf: "2026-05-29T12:00:00Z" } as const;

let built: TemporaryLake;
beforeAll(async () => {
  built = await temporarySampleLake();
});
afterAll(() => built?.remove());
afterEach(() => vi.useRealTimers());

const ROWS = { records: [{ platform: "forum", lang: "en", text: "Hiking boots" }] } as const;

describe.each([
  ["the default ones", undefined],
  [
    "all of them",
    { toFake: ["setImmediate", "setTimeout", "setInterval", "queueMicrotask", "performance", "Date"] },
  ],
] as const)("under fake timers of vitest: %s", (_, faked) => {
  const fake = () => vi.useFakeTimers(faked && { toFake: [...faked.toFake] });

  test("a test lake is made, searched and closed", async () => {
    fake();
    for (const make of [createTestLake, createHere]) {
      const lake = await make(ROWS);
      expect((await lake.search({ query: "boots" })).data).toHaveLength(1);
      const tool = tools(lake).find(({ name }) => name.includes("search"))!;
      expect((await tool.execute({ query: "boots" })).isError).toBeFalsy();
      await lake.close();
    }
  });

  test("a lake answers every kind of call, and closes", async () => {
    fake();
    const lake = await openLake(built.path, OPTIONS);
    expect((await lake.search({ query: "lake" })).meta).toBeDefined();
    expect(await lake.sql("SELECT 7 AS n")).toEqual([{ n: 7 }]);
    expect((await lake.call("datasets.slices", {})).data).toBeDefined();
    expect((await lake.call("raw.short-video.video", { item_id: "7300000000000000999" })).meta).toBeDefined();
    await lake.close();
  });

  test("a lake that was open before serves many searches at once, and afterwards", async () => {
    const lake = await openLake(built.path, OPTIONS);
    const ask = () => Promise.all(Array.from({ length: 20 }, (_, i) => lake.search({ query: `lake ${i}` })));
    fake();
    await ask();
    vi.useRealTimers();
    await ask();
    await lake.close();
  });

  test("a server answers a client, and both close", async () => {
    fake();
    const lake = await openLake(built.path, OPTIONS);
    const server = await startServer(lake.service);
    const client = connect({ baseUrl: server.url, apiKey: lake.apiKey! });
    expect((await client.search({ query: "lake" })).meta).toBeDefined();
    await client.close();
    await server.close();
    await lake.close();
  });
});

const run = async (program: string) =>
  (
    await promisify(execFile)(process.execPath, ["--no-warnings", "--input-type=module", "--eval", program])
  ).stdout.trim();
const ASK = `const lake = await createTestLake(${JSON.stringify(ROWS)});
  const { data } = await lake.search({ query: "boots" });`;

test("node:test holds no turn, with any of its timers mocked", { tags: "slow" }, async () => {
  const said = await run(`import { mock } from "node:test";
    import { createTestLake } from "mirrorlake/testing";
    mock.timers.enable();
    ${ASK}
    await lake.sql("SELECT 1");
    await lake.close();
    console.log(data.length);`);
  expect(said).toBe("1");
});

test("without globals, as in jsdom, rows are searched, and SQL and servers say what they need", async () => {
  const said = await run(`const { startServer } = await import("mirrorlake");
    for (const name of ["TextEncoder", "TextDecoder", "Headers", "Request", "Response", "fetch"]) delete globalThis[name];
    const { createTestLake } = await import("mirrorlake/testing");
    ${ASK}
    const codes = [lake.sql("SELECT 1"), startServer(lake.service)].map((call) => call.catch(({ code }) => code));
    console.log(data.length, ...(await Promise.all(codes)));
    await lake.close();`);
  expect(said).toBe("1 globals_missing globals_missing");
});
