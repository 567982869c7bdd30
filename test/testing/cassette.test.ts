import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forwardTo } from "../../src/cassette/forward-to.js";
import { readCassette } from "../../src/cassette/read-cassette.js";
import { recordFetch } from "../../src/cassette/record-fetch.js";
import { replayFetch } from "../../src/cassette/replay-fetch.js";
import { connect } from "../../src/client/connect.js";
import { driftReport } from "../../src/compare/drift.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { startFetchServer } from "../../src/http/fetch-server.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";
import { CAMPAIGN } from "../support/campaign.js";

let dir: string;
let remote: TestLake;
let url: string;
const WORDS = "boots trail mountain rain leather summit lake storm guide map tent stove".split(" ");
const RECORDS = Array.from({ length: 120 }, (_, i) => ({
  platform: "forum",
  lang: "en",
  text: `${WORDS[i % 12]} ${WORDS[(i * 5) % 12]} ${WORDS[(i * 7 + 3) % 12]} number ${i}`,
  author: { uid_hash: `secret-author-${i}` },
}));

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-cassette-"));
  remote = await createTestLake({ records: RECORDS, limits: "off", freeCalls: 0, balance: "1000" });
  url = (await remote.serve()).url;
});
afterAll(async () => {
  await remote?.close();
  await rm(dir, { recursive: true, force: true });
});

describe("record and replay", () => {
  test("end to end through the proxy: nothing of the key on disk, the same answers again, misses that explain themselves", async () => {
    const path = join(dir, "proxy.jsonl");
    const record = await recordFetch({
      cassette: path,
      redact: { fields: ["uid_hash"], texts: [/number 1\d\b/] },
    });
    const proxy = await startFetchServer(forwardTo(url, record));
    const through = connect({ baseUrl: proxy.url, apiKey: remote.apiKey });
    const first = await through.search({ query: "boots trail", limit: 10 });
    const again = await through.search({ query: "boots trail", limit: 10 });
    const key = await through.call("account.keys.create", { name: "spare", scopes: ["search"] });
    await expect(through.raw("forum", "post", { post_id: "" })).rejects.toMatchObject({
      code: "invalid_params",
    });
    await proxy.close();
    await record.close();

    const bytes = await readFile(path);
    const { apiKey: spare } = key.data as unknown as { apiKey: string };
    const secrets = [remote.apiKey, spare ?? "ml_none", "secret-author"];
    for (const secret of secrets) {
      const forms = [secret, encodeURIComponent(secret), secret.slice(3)].flatMap((form) => [
        Buffer.from(form),
        ...["base64", "base64url", "hex"].map((encoding) =>
          Buffer.from(Buffer.from(form).toString(encoding as BufferEncoding)),
        ),
      ]);
      for (const form of forms) expect(bytes.includes(form), form.toString()).toBe(false);
    }
    expect(bytes.toString()).not.toMatch(/number 1\d\b/);
    expect(bytes.toString()).toContain("boots");

    const replay = await replayFetch({ cassette: path });
    const offline = connect({ baseUrl: "https://any.example", apiKey: "ml_any", fetch: replay });
    const one = await offline.search({ limit: 10, query: "boots trail" });
    expect(one.request_id).toBe(first.request_id);
    expect(one.data[0]!.vec).toEqual(first.data[0]!.vec);
    expect((await offline.search({ query: "boots trail", limit: 10 })).request_id).toBe(again.request_id);
    expect((await offline.search({ query: "boots trail", limit: 10 })).request_id).toBe(again.request_id);
    expect(replay.unused.map(({ path }) => path)).toEqual(["/v1/account/keys", "/v1/raw/forum/post"]);
    const miss = replay("https://any.example/v1/search", {
      method: "POST",
      body: JSON.stringify({ query: "boots trail", limit: 11 }),
    });
    await expect(miss).rejects.toMatchObject({
      code: "replay_miss",
      message: expect.stringContaining("limit: 10 was recorded, 11 was asked"),
    });
    await expect(offline.search({ query: "boot" })).rejects.toThrow(
      /"boots trail" was recorded, "boot" was asked/,
    );
  });

  test("falls through to a lake, and heeds the age of recordings", async () => {
    const path = join(dir, "aged.jsonl");
    let now = Date.parse("2026-01-01T00:00:00Z");
    const clock = { now: () => now };
    const record = await recordFetch({ cassette: path, fetch: remote.fetch, maxAgeMs: 1000, clock });
    const ask = (send: typeof globalThis.fetch | typeof record, query: string) =>
      send("http://x/v1/search", {
        method: "POST",
        headers: { "x-api-key": remote.apiKey, "content-type": "application/json" },
        body: JSON.stringify({ query, format: "records" }),
      }).then(async (response) => ((await response.json()) as { request_id: string }).request_id);
    const recorded = await ask(record, "tent");
    await record.close();
    now += 1000;
    const options = { cassette: path, clock, otherwise: remote.fetch };
    expect(await ask(await replayFetch(options), "tent")).toBe(recorded);
    expect(await ask(await replayFetch(options), "stove")).not.toBe(recorded);
    now += 1;
    await expect(ask(await replayFetch(options), "tent")).rejects.toMatchObject({ code: "cassette_expired" });
    expect(await ask(await replayFetch({ ...options, expired: "serve" }), "tent")).toBe(recorded);
    expect(await ask(await replayFetch({ ...options, expired: "miss" }), "tent")).not.toBe(recorded);
  });

  // A tenth of 1,000 in `npm test`: the fewer calls, the more is different in them.
  const calls = CAMPAIGN ? 1000 : 100;
  test(`keeps ${calls} calls with vectors within 1.2 times the size of what is different in them`, async () => {
    const path = join(dir, "thousand.jsonl");
    const record = await recordFetch({ cassette: path, fetch: remote.fetch });
    const contents = new Map<string, number>();
    const note = (value: unknown) => {
      const text = JSON.stringify(value);
      contents.set(text, Buffer.byteLength(text));
    };
    for (let i = 0; i < calls; i += 1) {
      const query = `${WORDS[i % 12]} ${WORDS[(i >> 2) % 12]} ${i}`;
      const response = await record("http://x/v1/search", {
        method: "POST",
        headers: { "x-api-key": remote.apiKey, "content-type": "application/json" },
        body: JSON.stringify({ query, limit: 5 }),
      });
      const { data, meta, request_id } = (await response.json()) as {
        data: { id: string; vec: number[] }[];
        meta: object;
        request_id: string;
      };
      // Which records in which order is content too.
      note({ query, limit: 5, at: i, ids: data.map(({ id }) => id) });
      note({ meta, request_id, headers: [...response.headers] });
      for (const { vec, ...rest } of data) {
        note(vec);
        note(rest);
      }
    }
    await record.close();
    const distinct = [...contents.values()].reduce((sum, bytes) => sum + bytes, 0);
    const { size } = await stat(path);
    expect((await readCassette(path)).calls).toHaveLength(calls);
    console.log(
      `cassette of ${calls} calls: ${size} bytes, distinct content ${distinct}, ratio ${(size / distinct).toFixed(3)}`,
    );
    expect(size / distinct).toBeLessThan(1.2);
  });

  test("goes on after a kill, and refuses what is no cassette", async () => {
    const path = join(dir, "torn.jsonl");
    const record = await recordFetch({ cassette: path, fetch: remote.fetch });
    await record("http://x/v1/search", { method: "POST", body: "{}" });
    await record.close();
    const whole = await readFile(path, "utf8");
    await writeFile(path, `${whole}{"at":"2026-`);
    expect((await readCassette(path)).calls).toHaveLength(1);
    const more = await recordFetch({ cassette: path, fetch: remote.fetch });
    await more("http://x/v1/search", { method: "POST", body: '{"query":"tent"}' });
    await more.close();
    expect((await readCassette(path)).calls).toHaveLength(2);
    await writeFile(path, "");
    await expect(readCassette(path)).rejects.toThrow(/it is empty/);
    await writeFile(path, "id,text\n1,x\n");
    await expect(readCassette(path)).rejects.toMatchObject({ code: "cassette_unreadable" });
    await expect(recordFetch({ cassette: path })).rejects.toMatchObject({ code: "cassette_unreadable" });
    await expect(stat(`${path}.lock`)).rejects.toMatchObject({ code: "ENOENT" });
    expect(await readFile(path, "utf8")).toBe("id,text\n1,x\n");
  });

  test("keeps a last call whose line end an editor took, replayed and recorded on", async () => {
    const path = join(dir, "no-line-end.jsonl");
    const ask = async (query: string, fetch: typeof globalThis.fetch) => {
      const client = connect({ baseUrl: "https://api.example.com", apiKey: remote.apiKey, fetch });
      return (await client.search({ query, limit: 3 }, { omit: ["vec"] })).data;
    };
    const record = async (query: string) => {
      const recording = await recordFetch({ cassette: path, fetch: remote.fetch });
      const data = await ask(query, recording);
      await recording.close();
      return data;
    };
    const first = await record("boots");
    const last = await record("lake map");
    const whole = await readFile(path, "utf8");
    await writeFile(path, whole.slice(0, -1));
    const replay = await replayFetch({ cassette: path });
    expect(await ask("boots", replay)).toEqual(first);
    expect(await ask("lake map", replay)).toEqual(last);

    const added = await record("storm");
    expect((await readFile(path, "utf8")).startsWith(whole)).toBe(true);
    const again = await replayFetch({ cassette: path });
    for (const [query, data] of [
      ["boots", first] as const,
      ["lake map", last] as const,
      ["storm", added] as const,
    ])
      expect(await ask(query, again)).toEqual(data);

    await writeFile(path, whole.slice(0, whole.indexOf("\n")));
    await record("boots");
    expect((await readCassette(path)).calls).toHaveLength(1);
  });
});

describe("drift", () => {
  test("on loopback: recorded through a proxy, replayed by a server, compared with a second service that changed", async () => {
    const path = join(dir, "drift.jsonl");
    const posts = [
      { platform: "forum", resource: "post", id: "p1", lang: "en", data: POST },
      { platform: "forum", resource: "post", id: "p2", lang: "en", data: { ...POST, id: "soc_frm_p2" } },
    ];
    await using before = await createTestLake({ records: RECORDS, raw: posts, limits: "off", freeCalls: 0 });
    const record = await recordFetch({ cassette: path });
    const proxy = await startFetchServer(forwardTo((await before.serve()).url, record));
    const run = async (baseUrl: string, apiKey: string) => {
      const client = connect({ baseUrl, apiKey, retry: { retries: 0 } });
      const found = await client.search({ query: "boots", format: "records" });
      const answers = [
        await client.raw("forum", "post", { post_id: "p1" }),
        await client.raw("forum", "post", { post_id: "p2" }),
        await client.raw("forum", "posts", { count: 3 }),
      ];
      return [found, ...answers].map(({ request_id }) => request_id);
    };
    const ids = await run(proxy.url, before.apiKey);
    await proxy.close();
    await record.close();
    expect((await readFile(path)).includes(Buffer.from(before.apiKey.slice(3)))).toBe(false);

    const replay = await startFetchServer(await replayFetch({ cassette: path }));
    expect(await run(replay.url, "ml_any")).toEqual(ids);
    await replay.close();

    await expect(driftReport({ cassete: path } as never, CATALOGUE)).rejects.toThrow(/cassete.*cassette/);
    const same = await driftReport(
      { cassette: path, baseUrl: (await before.serve()).url, fetch, apiKey: before.apiKey },
      CATALOGUE,
    );
    expect(same).toMatchObject({ requests: 4, differences: [] });
    expect(same.observations).toContainEqual({
      subject: "price",
      endpoint: "raw.forum.post",
      assumed: "0.001500",
      observed: "0.001500",
      agrees: true,
      calls: 2,
    });

    await using after = await createTestLake({
      records: RECORDS.slice(1),
      raw: [{ ...posts[0]!, data: { ...POST, text: "Edited", mood: "new" } }, posts[1]!],
      seed: "another service",
      limits: "off",
      freeCalls: 0,
      prices: { "raw.forum.post": "0.002000" },
      faults: [{ fault: "status", status: 503, endpoint: "search" }],
    });
    const { url } = await after.serve();
    const drift = await driftReport(
      { cassette: path, baseUrl: url, fetch, apiKey: after.apiKey, tolerances: { ignore: ["data.items[]"] } },
      CATALOGUE,
    );
    expect(drift.differences.map(({ endpoint, kind, path, calls }) => [endpoint, kind, path, calls])).toEqual(
      [
        ["raw.forum.post", "price", "meta.charged_usd", 2],
        ["raw.forum.post", "structure", "data.mood", 1],
        ["raw.forum.post", "value", "data.text", 1],
        ["raw.forum.posts", "value", "data.total", 1],
        ["search", "error", "status", 1],
      ],
    );
  });

  test("of a wrong key is one error, at the first answer; a recorded refusal is none", async () => {
    const path = join(dir, "wrong-key.jsonl");
    const record = await recordFetch({ cassette: path, fetch: remote.fetch });
    const ask = (apiKey: string, query: string) =>
      connect({ baseUrl: "http://x", apiKey, fetch: record }).search({ query, format: "records" });
    await expect(ask("ml_unknown", "lake")).rejects.toMatchObject({ code: "invalid_api_key" });
    for (const query of ["boots", "tent", "stove"]) await ask(remote.apiKey, query);
    await record.close();

    let asked = 0;
    const fetch = (...of: Parameters<typeof remote.fetch>) => {
      asked += 1;
      return remote.fetch(...of);
    };
    const report = (apiKey: string) => driftReport({ cassette: path, fetch, apiKey }, CATALOGUE);
    await expect(report("ml_wrong")).rejects.toMatchObject({
      name: "ApiError",
      code: "invalid_api_key",
      message: expect.stringContaining("Invalid API key"),
      remedy: expect.stringContaining("key"),
    });
    expect(asked).toBe(2); // the one that was refused in the recording, and the next
    expect((await report(remote.apiKey)).differences).toMatchObject([
      { path: "status", local: "401", remote: "200" },
    ]);
  });
});

const POST = {
  id: "soc_frm_p1",
  src: "social",
  platform: "forum",
  lang: "en",
  text: "A post",
};
