import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { connect } from "../../src/client/connect.js";
import { openLake } from "../../src/client/open-lake.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { SAMPLE_AS_OF } from "../../src/conformance/sample/works.js";
import { parseUsd } from "../../src/contract/money.js";
import { LIMITS } from "../../src/contract/service/limits.js";
import { openLake as lazyOpenLake } from "../../src/lazy-index.js";
import { VirtualClock } from "../../src/virtual-clock.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

let built: TemporaryLake;
beforeAll(async () => {
  built = await temporarySampleLake();
});
afterAll(() => built?.remove());

const item_id = SAMPLES.itemId;

test("a lake opens with nothing but its path, and answers all three operations", async () => {
  const lake = await openLake(built.path);
  const found = await lake.search({ query: SAMPLES.query, limit: 3 });
  expect(found.data).toHaveLength(3);
  expect(found.data[0]?.vec).toBeInstanceOf(Float32Array);
  expect(found.meta).toMatchObject({ billed: false, used_free_quota: true });
  expect(found.headers["x-mirrorlake-embedder"]).toBeTruthy();
  const video = await lake.raw("short-video", "video", { item_id });
  expect(video.data?.extra.source_id).toBe(item_id);
  const { data } = await lake.slices({ domain: "web" });
  expect(data.items.length).toBeGreaterThan(0);
  expect(lake.apiKey).toMatch(/^ml_[0-9A-Za-z]{32}$/);
  await lake.close();
  await lake.close();
});

test("an answer is the envelope, with its headers beside it", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  const answer = await lake.call("raw.short-video.video", { item_id });
  expect(Object.keys(answer)).toEqual(["request_id", "data", "meta"]);
  expect(answer.requestId).toBe(answer.request_id);
  expect(answer.headers["x-request-id"]).toBe(answer.request_id);
  expect(JSON.parse(JSON.stringify(answer))).toEqual({ ...answer });
  const found = await lake.search({ query: SAMPLES.query, limit: 1 });
  const [record] = (JSON.parse(JSON.stringify(found)) as { data: { vec: number[] }[] }).data;
  const { vec } = found.data[0]!;
  expect(Float32Array.from(record!.vec)).toEqual(vec);
  // The numbers are those of the service, to the letter, whatever of the answer is written.
  const response = await lake.fetch("http://remote.invalid/v1/search", {
    method: "POST",
    headers: { authorization: `Bearer ${lake.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ query: SAMPLES.query, limit: 1 }),
  });
  const text = await response.text();
  for (const written of [found.data, vec, found.toJSON().data])
    expect(text).toContain(JSON.stringify(written));
  await lake.close();
});

test("a search says in process, and only there, which ranking found a record", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  const { data, ranks, ...rest } = await lake.search({ query: SAMPLES.query, limit: 3 });
  expect(ranks).toHaveLength(data.length);
  const ofKeyword = ranks!.map(({ keyword }) => keyword!.rank);
  expect(Math.min(...ofKeyword)).toBe(1);
  expect(ranks![0]!.semantic!.score).toBeGreaterThan(0);
  expect(Object.keys(rest)).not.toContain("ranks");
  expect((await lake.call("raw.short-video.video", { item_id })).ranks).toBeUndefined();
  const response = await lake.fetch("http://remote.invalid/v1/search", {
    method: "POST",
    headers: { authorization: `Bearer ${lake.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ query: SAMPLES.query }),
  });
  expect(Object.keys((await response.json()) as object)).toEqual(["request_id", "data", "meta"]);
  await lake.close();
});

test("a search of meaningless words finds nothing and costs nothing", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  const before = (await lake.search({ query: SAMPLES.query, limit: 1 })).meta.free_quota_remaining;
  for (const query of ["zzzqqqxxkcd", "龘靐齉爩", "ъъъъъъъ"]) {
    const { data, meta } = await lake.search({ query });
    expect({ data, meta }).toMatchObject({
      data: [],
      meta: { empty: true, billed: false, used_free_quota: false, free_quota_remaining: before },
    });
  }
  await lake.close();
});

test("errors are typed by their code", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  await expect(lake.search({ query: "" })).rejects.toMatchObject({
    name: "ApiError",
    code: "invalid_params",
    status: 400,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  await expect(lake.call("raw.nowhere.thing", {})).rejects.toMatchObject({ code: "not_found" });
  await expect(lake.call("nowhere", {})).rejects.toMatchObject({ code: "unknown_endpoint" });
  for (const id of [undefined, null, 7, {}])
    await expect(lake.call(id as unknown as string, {})).rejects.toMatchObject({
      name: "UsageError",
      code: "invalid_argument",
    });
  await lake.close();
  const stranger = await openLake(built.path, { account: "memory", apiKey: "ml_unknown" });
  await expect(stranger.search({ query: "a" })).rejects.toMatchObject({ code: "invalid_api_key" });
  await stranger.close();
});

test("the lake's account is kept, that of memory is not", async () => {
  const balance = async (account: "lake" | "memory") => {
    const lake = await openLake(built.path, { account, ids: () => crypto.randomUUID() });
    const { meta } = await lake.raw("short-video", "comments", { item_id });
    await lake.close();
    return parseUsd(meta.balance_usd);
  };
  const price = LIMITS.rawCommentsPrice.value;
  const [first, second] = [await balance("lake"), await balance("lake")];
  expect(first - second).toBe(price);
  const sandbox = LIMITS.sandboxBalance.value;
  expect([await balance("memory"), await balance("memory")]).toEqual([sandbox - price, sandbox - price]);
});

test("items follow cursors, each comment once", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  const cids: string[] = [];
  for await (const { cid } of lake.items("raw.short-video.comments", { item_id, count: 10 })) cids.push(cid);
  expect(cids).toHaveLength(SAMPLES.commentCount);
  expect(new Set(cids).size).toBe(cids.length);
  await lake.close();
});

test("what is no list is refused before it is called", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  for (const [id, params] of [
    ["search", { query: SAMPLES.query }],
    ["raw.short-video.video", { item_id }],
    ["raw.global-news.trend", {}],
  ] as const) {
    const text: string = id;
    for (const read of [lake.items(text, params), lake.pages(text, params)])
      await expect(read[Symbol.asyncIterator]().next()).rejects.toMatchObject({
        name: "UsageError",
        code: "not_a_page",
        value: id,
      });
  }
  expect(await lake.account.usage()).toEqual([]);
  await lake.close();
});

test("an abort ends the items of a lake at once, in the middle of a page", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  const stop = new AbortController();
  const cids: string[] = [];
  const read = async () => {
    const signal = stop.signal;
    for await (const { cid } of lake.items("raw.short-video.comments", { item_id, count: 10 }, { signal }))
      if (cids.push(cid) === 12) stop.abort(new Error("enough"));
  };
  await expect(read()).rejects.toThrow("enough");
  expect(cids).toHaveLength(12);
  await lake.close();
});

test("as-of may be the corpus, the service clock, or an instant in any form", async () => {
  const clock = new VirtualClock("2026-08-01T00:00:00Z");
  const count = async (asOf: "corpus" | "system" | number | string | Date) => {
    const lake = await openLake(built.path, { account: "memory", clock, asOf });
    const { data } = await lake.search({
      query: SAMPLES.query,
      freshness: "30d",
      limit: 100,
      format: "records",
    });
    await lake.close();
    return data.length;
  };
  const all = await count("corpus");
  expect(all).toBeGreaterThan(20);
  expect(await count(SAMPLE_AS_OF)).toBe(all);
  expect(await count(new Date(SAMPLE_AS_OF))).toBe(all);
  expect(await count(Date.parse(SAMPLE_AS_OF))).toBe(all);
  expect(await count("system")).toBe(0);
  await expect(openLake(built.path, { asOf: "yesterday" })).rejects.toMatchObject({ code: "invalid_as_of" });
  await expect(openLake(built.path, { asOf: new Date(Number.NaN) })).rejects.toMatchObject({
    code: "invalid_as_of",
  });
});

test("limits hold on the service clock, and can be taken away", async () => {
  const clock = new VirtualClock(SAMPLE_AS_OF);
  const strict = await openLake(built.path, { account: "memory", clock });
  for (let i = 0; i < 5; i++) await strict.raw("short-video", "video", { item_id });
  await expect(strict.raw("short-video", "video", { item_id })).rejects.toMatchObject({
    code: "endpoint_busy",
    retryAfterS: 1,
  });
  await strict.close();
  const free = await openLake(built.path, { account: "memory", clock, limits: "off" });
  for (let i = 0; i < 70; i++) await free.raw("short-video", "video", { item_id });
  const { meta, headers } = await free.raw("short-video", "video", { item_id });
  expect(meta.free_quota_remaining).toBe(1000 - 71);
  expect(headers["x-ratelimit-limit"]).toBe("60");
  await free.close();
});

test("request ids come from the given source", async () => {
  let n = 0;
  const ids = () => `00000000-0000-4000-8000-${String(n++).padStart(12, "0")}`;
  const lake = await openLake(built.path, { account: "memory", ids });
  expect((await lake.slices()).requestId).toBe("00000000-0000-4000-8000-000000000000");
  await lake.close();
});

test("closing waits for calls under way", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  const calls = Array.from({ length: 10 }, () => lake.search({ query: SAMPLES.query }));
  await lake.close();
  for (const { data } of await Promise.all(calls)) expect(data).toHaveLength(20);
});

test("a client that connects through the lake's fetch gives the same answers", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  const remote = connect({ baseUrl: "https://api.example", apiKey: lake.apiKey, fetch: lake.fetch });
  const params = { query: SAMPLES.query, freshness: "90d" } as const;
  expect((await remote.search(params)).data).toEqual((await lake.search(params)).data);
  await lake.close();
});

test("a search in process makes no JSON text of its answer and reads none", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  await lake.search({ query: SAMPLES.query });
  const written = vi.spyOn(JSON, "stringify");
  const read = vi.spyOn(JSON, "parse");
  const { data } = await lake.search({ query: SAMPLES.query, freshness: "90d" });
  const characters = written.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
  const reads = read.mock.calls.length;
  vi.restoreAllMocks();
  expect(data).toHaveLength(20);
  expect(reads).toBe(0);
  expect(characters).toBeLessThan(200); // the filter's name in a cache; the answer's text would be 380,000
  await lake.close();
});

test("a folder that is no lake is refused", async () => {
  await expect(openLake("/nowhere/at/all")).rejects.toMatchObject({ name: "LakeError" });
});

test("a refusal is an answer in process, and is tried again where a retry is asked for", async () => {
  const clock = new VirtualClock(SAMPLE_AS_OF);
  const pauses: number[] = [];
  const sleep = async (ms: number) => {
    pauses.push(ms);
    clock.advance(ms);
  };
  const refusing = await openLake(built.path, { account: "memory", clock });
  const retrying = await openLake(built.path, {
    account: "memory",
    clock,
    retry: { sleep, random: () => 0 },
  });
  for (let call = 0; call < LIMITS.requestsPerMinute.value; call++) {
    await refusing.slices();
    await retrying.slices();
    clock.advance(100);
  }
  await expect(refusing.slices()).rejects.toMatchObject({ code: "rate_limited" });
  expect((await retrying.slices()).data.total).toBeGreaterThan(0);
  expect(pauses).toHaveLength(1);
  await refusing.close();
  await retrying.close();
});

test("a wrong option is said with what was probably meant, before anything is opened", async () => {
  await expect(openLake(built.path, { acount: "memory" } as object)).rejects.toMatchObject({
    code: "invalid_options",
    message: /did you mean account\?/,
  });
  await expect(openLake(built.path, { limits: false as never })).rejects.toMatchObject({
    message: /did you mean "off"\?/,
  });
  await expect(openLake(7 as never)).rejects.toMatchObject({ code: "invalid_argument" });
  await expect(openLake("http://127.0.0.1:8080")).rejects.toMatchObject({
    code: "invalid_argument",
    remedy: /connect\(/,
  });
  await expect(openLake(pathToFileURL(built.path).href)).rejects.toMatchObject({
    code: "invalid_argument",
    remedy: /fileURLToPath/,
  });
  for (const openingBalance of ["-5", -0.000001, -1n as never])
    await expect(openLake(built.path, { account: "memory", openingBalance })).rejects.toMatchObject({
      code: "invalid_amount",
    });
});

test("the options of a call are checked like those of a function", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  const calls = (options: never) => [
    lake.search({ query: SAMPLES.query }, options),
    lake.raw("short-video", "video", { item_id }, options),
    lake.slices({}, options),
    lake.call("search", { query: SAMPLES.query }, options),
  ];
  for (const call of calls({ signl: new AbortController().signal } as never))
    await expect(call).rejects.toMatchObject({ code: "invalid_options", message: /did you mean signal\?/ });
  for (const call of calls({ signal: "x" } as never))
    await expect(call).rejects.toMatchObject({ code: "invalid_options", message: /signal is "x"/ });
  await lake.close();
});

test("an unknown platform, resource or language is answered as the service does, with what was probably meant", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  const found = await lake.search({ query: SAMPLES.query, platforms: ["short-vidoe"] });
  expect(found).toMatchObject({ data: [], meta: { empty: true } });
  expect(found.hint).toBe('no platform "short-vidoe" in this lake; did you mean "short-video"?');
  const some = await lake.search({
    query: SAMPLES.query,
    platforms: ["short-video", "zzzz"],
    freshness: "90d",
  });
  expect(some.data.length).toBeGreaterThan(0);
  expect(some.hint).toMatch(/^no platform "zzzz" in this lake; it has .*short-video/);
  expect((await lake.search({ query: SAMPLES.query, freshness: "90d" })).hint).toBeUndefined();
  expect((await lake.slices({ lang: "tlh" })).hint).toBe("nothing in the language tlh in this lake");
  const hint = (id: string, params = {}) => lake.call(id, params).catch((error) => error.hint);
  const query = SAMPLES.query;
  expect(await hint("search", { query, freshnes: "7d" })).toBe(
    'no parameter "freshnes"; did you mean "freshness"?',
  );
  expect(await hint("search", { query, domains: ["socal"] })).toBe(
    'domains has no "socal"; did you mean "social"?',
  );
  expect(await hint("search", { query, zzz: 1, limit: "many" })).toBeUndefined();
  expect(await hint("raw.short-vidoe.video")).toMatch(/did you mean "short-video"\?$/);
  expect(await hint("raw.short-video.vidoe")).toBe(
    'no resource "vidoe" of "short-video"; did you mean "video"?',
  );
  await expect(lake.call("serach", {})).rejects.toMatchObject({ message: /did you mean "search"\?/ });
  await lake.close();
});

test("a call keeps the parameters and options that it was given, whatever becomes of their object", async () => {
  const lake = await openLake(built.path, { account: "memory", limits: "off" });
  const params = { query: "", domains: ["web"], limit: 1 } as {
    query: string;
    domains: ["web" | "social"];
    limit: number;
  };
  const options = { fields: ["id"] };
  const asked = (query: string, domain: "web" | "social", field: string) => {
    params.query = query;
    params.domains[0] = domain;
    options.fields[0] = field;
    return lake.search(params, options);
  };
  const together = [
    asked(SAMPLES.query, "web", "id"),
    asked("zzzqqqxxkcd", "web", "id"),
    asked(SAMPLES.query, "social", "src"),
  ];
  const apart = [
    await asked(SAMPLES.query, "web", "id"),
    await asked("zzzqqqxxkcd", "web", "id"),
    await asked(SAMPLES.query, "social", "src"),
  ];
  expect(apart[0]!.data).toHaveLength(1);
  expect((await Promise.all(together)).map(({ data }) => data)).toEqual(apart.map(({ data }) => data));
  const page = { item_id, count: 1 };
  const pages = lake.pages("raw.short-video.comments", page);
  page.count = 2;
  for await (const { data } of pages) {
    expect(data?.items).toHaveLength(1);
    page.count++;
  }
  await lake.close();
});

test("a query keeps the parameters, options and tables that it was given", async () => {
  const lake = await openLake(built.path, { account: "memory" });
  const params: (number | number[])[] = [1, [2]];
  const named = { n: 1 };
  const tables: Record<string, { a: number }[]> = { t: [{ a: 1 }] };
  const rows = lake.sql("SELECT a, ? AS n, ?::INT[] AS l FROM t", params, { tables });
  const stream = lake.sqlStream("SELECT $n AS n", named);
  const domains: ("web" | "social")[] = ["web"];
  const batches = lake.arrow({ domains });
  params[0] = 9;
  (params[1] as number[])[0] = 9;
  named.n = 9;
  domains[0] = "social";
  delete tables.t;
  expect(await rows).toEqual([{ a: 1, n: 1, l: [2] }]);
  for await (const batch of stream) expect(batch).toEqual([{ n: 1 }]);
  for await (const batch of batches) expect(new Set(batch.getChild("src")!)).toEqual(new Set(["web"]));
  await lake.close();
});

test("a new account keeps the balance that it is opened with; without one nothing is written before a call", async () => {
  const fresh = await temporarySampleLake();
  try {
    const balance = async (openingBalance?: string): Promise<bigint> => {
      const lake = await openLake(fresh.path, openingBalance === undefined ? {} : { openingBalance });
      const state = await lake.account.state();
      await lake.close();
      return state.balance;
    };
    await (await openLake(fresh.path)).close();
    expect(existsSync(join(fresh.path, "account"))).toBe(false);
    expect(await balance("0.300000")).toBe(parseUsd("0.3"));
    expect(await balance()).toBe(parseUsd("0.3"));
    expect(await balance("7")).toBe(parseUsd("0.3"));
  } finally {
    await fresh.remove();
  }
});

test.each([
  ["as a module exports it", openLake],
  ["as the package does, which loads it first", lazyOpenLake],
])(
  "openLake, %s, keeps the options that it was given, whatever becomes of their object",
  async (_how, open) => {
    const first = "11111111-1111-4111-8111-111111111111";
    const options: { account: "memory" | "lake"; asOf: string; ids: () => string } = {
      account: "memory",
      asOf: SAMPLE_AS_OF,
      ids: () => first,
    };
    const fresh = await temporarySampleLake();
    try {
      const opening = open(fresh.path, options);
      Object.assign(options, {
        account: "lake",
        asOf: "1999-01-01T00:00:00Z",
        ids: () => crypto.randomUUID(),
      });
      const lake = await opening;
      const { data, requestId } = await lake.search({ query: SAMPLES.query, freshness: "90d" });
      expect([data.length > 0, requestId]).toEqual([true, first]);
      await lake.close();
      expect(existsSync(join(fresh.path, "account"))).toBe(false);
    } finally {
      await fresh.remove();
    }
  },
);
