import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it, vi } from "vitest";
import { selectData } from "../../src/contract/service/selection.js";
import { connect, createLake, type LakeClient, openLake, startServer } from "../../src/index.js";
import { EMBEDDER, QUICK } from "../evolution/support.js";

const rows = ["2025-01-01", "2026-01-01"].map((day) => ({
  platform: "forum",
  lang: "en",
  text: `hiking boots ${day}`,
  author: { uid_hash: "0".repeat(64) },
  metrics: { likes: 3, comments: 1 },
  prov: { ts: `${day}T00:00:00Z` },
}));
const all = { query: "hiking boots", freshness: "90d" };

let dir: string;
let lake: LakeClient;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-selection-"));
  await createLake(join(dir, "lake"), rows, QUICK);
  lake = await openLake(join(dir, "lake"), { embedder: EMBEDDER, account: "memory" });
});
afterAll(async () => {
  await lake.close();
  await rm(dir, { recursive: true, force: true });
});

describe("fields of an answer", () => {
  it("in process vectors that are left out are not read, and provenance stays", async () => {
    const whole = await lake.search(all);
    const read = vi.spyOn(Object.getPrototypeOf(await lake.lake.use(async ({ index }) => index)), "vectors");
    try {
      const { data } = await lake.search(all, { omit: ["vec"] });
      expect(read).not.toHaveBeenCalled();
      const { vec, ...rest } = whole.data[0]!;
      expect(vec).toHaveLength(1536);
      expect(data).toEqual([rest]);
      expect(data[0]!.prov.hash).toMatch(/^0x/);
      // @ts-expect-error it was left out
      expect(data[0]!.vec).toBeUndefined();
    } finally {
      read.mockRestore();
    }
  });

  it("over a network the same fields come, and the answer is charged the same", async () => {
    const server = await startServer(lake.service);
    const remote = connect({ baseUrl: server.url, apiKey: lake.apiKey });
    for (const options of [
      { omit: ["vec", "prov.hash"] },
      { fields: ["id", "metrics.likes", "prov"] },
      { fields: ["id", "metrics"], omit: ["metrics.comments"] },
    ]) {
      const [near, far] = [await lake.search(all, options), await remote.search(all, options)];
      expect(far.data).toEqual(near.data);
      expect(far.meta.charged_usd).toBe(near.meta.charged_usd);
    }
    const { data } = await remote.search(all, { fields: ["id", "metrics.likes"] });
    expect(data).toEqual([{ id: expect.any(String), metrics: { likes: 3 } }]);
    expectTypeOf(data[0]!).toHaveProperty("id");
    await remote.close();
    await server.close();
  });

  it("pages keep their own fields, items are told apart before their fields are chosen", async () => {
    const page = { items: [{ cid: "1", text: "a" }], cursor: 1, has_more: false };
    expect(selectData(page, { fields: ["text"] })).toEqual({ ...page, items: [{ text: "a" }] });
    expect(selectData(null, { fields: ["text"] })).toBeNull();
    expect(selectData({ a: [{ b: 1, c: 2 }] }, { omit: ["a.b"] })).toEqual({ a: [{ c: 2 }] });
    const { data } = await lake.slices({}, { fields: ["name"] });
    expect(data.items.map((item) => Object.keys(item))).toEqual([["name"], ["name"]]);
  });

  it.each([
    [{ omit: "vec" }, "omit"],
    [{ fields: [] }, "fields"],
    [{ fields: ["a..b"] }, "must be the name of a field"],
    [{ omits: ["vec"] }, "did you mean omit?"],
    [
      { fields: ["id", "titel"] },
      'search: fields[1] is "titel", there is no such field, did you mean "title"?',
    ],
    [{ fields: ["current"] }, 'did you mean "price.current"?'],
    [{ fields: ["price.curent"] }, 'did you mean "price.current"?'],
    [{ fields: ["zzzz"] }, 'search: fields[0] is "zzzz", there is no such field'],
    [
      { omit: ["prov.hsh"] },
      'search: omit[0] is "prov.hsh", there is no such field, did you mean "prov.hash"?',
    ],
  ])("%j is refused", async (options, words) => {
    const calls = lake.spentUsd;
    await expect(lake.search(all, options as never)).rejects.toThrow(words);
    expect(lake.spentUsd).toBe(calls);
  });

  it("names of items are those of an endpoint's items, and of open shapes any", async () => {
    const id = "raw.short-video.comments";
    const params = { item_id: "7400000000000000123" };
    const selection = { fields: ["cid", "txt"] };
    const refusal = {
      code: "invalid_options",
      value: "txt",
      message: expect.stringContaining('mean "text"?'),
    };
    await expect(lake.call(id, params, selection)).rejects.toMatchObject(refusal);
    await expect(lake.items(id, params, selection)[Symbol.asyncIterator]().next()).rejects.toMatchObject(
      refusal,
    );
    await expect(lake.call(id, params, { omit: ["vec"] })).resolves.toBeDefined();
    for (const [fields, asked] of [
      [["titel", "txt"], "title"],
      [["langg"], "lang"],
      [["autor"], "author"],
    ] as const) {
      const none = { code: "invalid_options", message: expect.stringContaining(`did you mean "${asked}"?`) };
      await expect(lake.raw("forum", "posts", {}, { fields })).rejects.toMatchObject(none);
      await expect(
        lake.items("raw.forum.posts", {}, { fields })[Symbol.asyncIterator]().next(),
      ).rejects.toMatchObject(none);
    }
    await expect(lake.raw("forum", "posts", {}, { fields: ["id", "titel"] })).resolves.toBeDefined();
    for (const fields of [["title"], ["qqqq"], ["author.own"], ["extra.own"]]) {
      await expect(lake.raw("forum", "posts", {}, { fields })).resolves.toBeDefined();
    }
    await expect(lake.search(all, { fields: ["extra.own", "entities"] })).resolves.toBeDefined();
  });
});

describe("freshness without a limit", () => {
  it("is refused unless the lake was opened for it, and never goes over a network", async () => {
    for (const freshness of ["all", "400d"])
      await expect(lake.search({ ...all, freshness })).rejects.toMatchObject({ code: "invalid_params" });
    const open = await openLake(join(dir, "lake"), {
      embedder: EMBEDDER,
      account: "memory",
      maxFreshness: "unlimited",
    });
    const near = await open.search(all);
    expect([near.data.length, near.headers["x-mirrorlake-local"]]).toEqual([1, undefined]);
    for (const freshness of ["all", "400d"]) {
      const { data, headers } = await open.search({ ...all, freshness });
      expect([data.length, headers["x-mirrorlake-local"]]).toEqual([2, "freshness"]);
    }
    expect((await open.search({ ...all, freshness: "200d" })).data).toHaveLength(1);
    await expect(open.search({ ...all, freshness: "week" })).rejects.toMatchObject({
      code: "invalid_params",
    });
    const server = await startServer(open.service);
    const remote = connect({ baseUrl: server.url, apiKey: open.apiKey });
    await expect(remote.search({ ...all, freshness: "all" })).rejects.toMatchObject({
      code: "invalid_params",
    });
    await remote.close();
    await server.close();
    await open.close();
  });
});

it("keeps a member named like the prototype, which a service may have sent", () => {
  const data = JSON.parse('{"a":{"__proto__":1,"b":2,"c":3},"__proto__":4}') as object;
  expect(JSON.stringify(selectData(data, { omit: ["a.c"] } as never))).toBe(
    '{"a":{"__proto__":1,"b":2},"__proto__":4}',
  );
});
