import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { parseUsd } from "../../src/contract/money.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { EMBEDDER, QUICK, videos, write } from "../evolution/support.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";
import { turnsDuring } from "../support/turns-during.js";

let built: TemporaryLake;
let dir: string;
beforeAll(async () => {
  built = await temporarySampleLake();
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-warm-up-"));
});
afterAll(async () => {
  await built?.remove();
  await rm(dir, { recursive: true, force: true });
});

const SEARCH = { query: SAMPLES.query, freshness: "90d" } as const;

test("a lake that is warmed up answers the same, and its account knows nothing of it", async () => {
  const lake = await openLake(built.path, { openingBalance: "7" });
  const other = await openLake(built.path, { account: "memory" });
  const rank = vi.spyOn(lake.lake.index, "rank");
  const done: number[] = [];
  const { result, turns } = await turnsDuring(() =>
    lake.warmUp({ searches: 12, onProgress: (count, total) => done.push(count, total) }),
  );
  expect(result).toEqual({ searches: 12, ms: expect.any(Number) });
  expect(done).toEqual(Array.from({ length: 12 }, (_, i) => [i + 1, 12]).flat());
  expect(turns).toBeGreaterThanOrEqual(12);
  const queries = rank.mock.calls.map(([query]) => query);
  expect(new Set(queries).size).toBeGreaterThan(6);
  for (const [, , { mode }] of rank.mock.calls) expect(mode).toBeUndefined();
  expect(lake.spentUsd).toBe("0.000000");
  expect(await lake.account.usage()).toEqual([]);
  expect(await lake.account.state()).toMatchObject({ balance: parseUsd("7") });
  expect((await lake.search(SEARCH)).data).toEqual((await other.search(SEARCH)).data);
  await lake.close();
  await other.close();
});

test("it lists items of a platform, and starts the process of queries where that is asked for", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  const listed = vi.spyOn(lake.lake.corpus, "listRecords");
  const queried = vi.spyOn(lake.lake, "gather");
  expect(await lake.warmUp({ searches: 1 })).toMatchObject({ searches: 1 });
  expect(listed).toHaveBeenCalled();
  expect(queried).not.toHaveBeenCalled();
  expect(await lake.warmUp({ searches: 1, sql: true })).toMatchObject({ searches: 1 });
  expect(queried).toHaveBeenCalledOnce();
  expect(lake.spentUsd).toBe("0.000000");
  await lake.close();
});

test("an embedder of the user's own is not asked, and the vectors are searched all the same", async () => {
  const path = join(dir, "own");
  await installSlices(await write(join(dir, "slices"), videos(0, 20)), { lake: path, ...QUICK });
  const embedQuery = vi.fn(EMBEDDER.embedQuery);
  const lake = await openLake(path, { account: "memory", embedder: { ...EMBEDDER, embedQuery } });
  const nearest = vi.spyOn(lake.lake.index, "nearest");
  expect(await lake.warmUp({ searches: 20 })).toMatchObject({ searches: 20 });
  expect(embedQuery).not.toHaveBeenCalled();
  expect(nearest).toHaveBeenCalled();
  await lake.search({ query: "giraffe3" });
  expect(embedQuery).toHaveBeenCalledOnce();
  await lake.close();
});

test("closing the lake ends it, and a signal does", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  const stop = new AbortController();
  const onProgress = (count: number) => count === 3 && stop.abort(new Error("enough"));
  await expect(lake.warmUp({ signal: stop.signal, onProgress })).rejects.toThrow("enough");
  await expect(lake.warmUp({ signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow("before");
  let closing: Promise<void> | undefined;
  const running = lake.warmUp({
    searches: 10_000,
    onProgress: () => {
      closing ??= lake.close();
    },
  });
  await expect(running).rejects.toMatchObject({ code: "lake_closed" });
  await closing;
});

test("wrong options are named, and none is read after the call", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  for (const options of [
    { searches: -1 },
    { searches: 1.5 },
    { searches: 10_001 },
    { query: "x" },
    { sql: 1 },
  ])
    await expect(lake.warmUp(options as never)).rejects.toMatchObject({ code: "invalid_options" });
  const options = { searches: 2 };
  const running = lake.warmUp(options);
  options.searches = 5;
  expect(await running).toMatchObject({ searches: 2 });
  expect(await lake.warmUp({ searches: 0 })).toMatchObject({ searches: 0 });
  await lake.close();
});
