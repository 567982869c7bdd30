import { expect, test } from "vitest";
import { connect } from "../../src/client/connect.js";
import { SAMPLE_CALLS } from "../../src/conformance/sample/sample-calls.js";
import { sampleItems } from "../../src/conformance/sample/sample-items.js";
import { formatUsd, micros } from "../../src/contract/money.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import { forecastRun } from "../../src/testing/forecast.js";
import { shadow } from "../../src/testing/shadow.js";

// biome-ignore lint/suspicious/noExplicitAny: bodies of any endpoint are altered here
type Body = any;
const OPENING = 100_000_000n;

/** Ten ways in which a remote differs, each at an endpoint of its own. */
const ALTERED: Record<string, (body: Body, response: { status: number }) => void> = {
  "/v1/raw/short-video/video": (body) => Object.assign(body.data, { brand_new: true }),
  "/v1/raw/long-video/video": (body) => delete body.data.lang,
  "/v1/raw/video-community/video": (body) => Object.assign(body.data.metrics, { likes: "many" }),
  "/v1/raw/forum/post": (body) => Object.assign(body.data, { text: "Edited" }),
  "/v1/raw/forum/posts": (body) => body.data.items.reverse(),
  "/v1/raw/microblog/posts": (body) => body.data.items.pop(),
  "/v1/raw/microblog/post": (body, response) => {
    response.status = 404;
    for (const name of Object.keys(body)) delete body[name];
    body.error = { code: "not_found", message: "Not found", request_id: "x" };
  },
  "/v1/raw/lifestyle-notes/note": (body) => Object.assign(body.meta, { charged_usd: "0.002000" }),
  "/v1/raw/short-video/comments": (body) => Object.assign(body.data, { has_more: !body.data.has_more }),
};
const SLOW = "/v1/raw/global-marketplace/product";
const EXPECTED = [
  "raw.forum.post value data.text",
  "raw.forum.posts order data.items",
  "raw.global-marketplace.product time ms",
  "raw.lifestyle-notes.note price meta.charged_usd",
  "raw.long-video.video structure data.lang",
  "raw.microblog.post error status",
  "raw.microblog.posts value data.items[].id",
  "raw.short-video.comments value data.has_more",
  "raw.short-video.video structure data.brand_new",
  "raw.video-community.video structure data.metrics.likes",
];

test("a run of 500 calls over a remote that differs in ten ways: all ten, nothing else, and the price to the micro-dollar", {
  tags: "slow",
}, async () => {
  const items = JSON.parse(JSON.stringify(sampleItems(CATALOGUE))) as ReturnType<typeof sampleItems>;
  await using local = await createTestLake({
    records: items.flatMap((item) => (item.kind === "record" ? [item.record] : [])),
    raw: items.flatMap((item) => (item.kind === "raw" ? [item.raw] : [])),
    limits: "off",
  });
  await using away = await local.fork({ seed: "remote", freeCalls: 37 });
  let time = 0;
  const remote = connect({
    baseUrl: "https://remote.example",
    apiKey: away.apiKey,
    retry: { retries: 0 },
    fetch: async (input, init) => {
      const response = await away.fetch(input, init);
      const { pathname } = new URL(String(input));
      time += pathname === SLOW ? 900 : 1;
      const alter = ALTERED[pathname];
      if (alter === undefined || response.status !== 200) return response;
      const body = (await response.json()) as Body;
      const altered = { status: 200 };
      if (body.meta.empty === false) alter(body, altered);
      return new Response(JSON.stringify(body), { status: altered.status });
    },
  });
  const client = shadow({
    local,
    remote,
    freeCalls: 37,
    now: () => time,
    tolerances: { slower: { times: 3, ms: 500 } },
  });
  const asked = SAMPLE_CALLS.filter(({ id }) => id.startsWith("raw.") || id === "search");
  for (let i = 0; i < 500; i += 1) {
    const { id, success, empty } = asked[i % asked.length]!;
    const params = i % 7 === 6 && empty !== undefined ? empty : success;
    const answer = await client.call(id as string, { ...params });
    expect(answer.request_id).not.toBe("x");
    // Time is measured one call after the other.
    await client.close();
  }
  const report = await client.report();
  expect(report.calls).toBe(500);
  expect(report.differences.map(({ endpoint, kind, path }) => `${endpoint} ${kind} ${path}`).sort()).toEqual(
    EXPECTED,
  );
  const { balance, freeQuotaRemaining } = await away.account.state();
  expect(report.forecast.usd).toBe(formatUsd(micros(OPENING - balance)));
  expect(report.forecast.freeCalls).toBe(37 - freeQuotaRemaining);
  // The same forecast from the ledger of a run without a remote.
  expect((await forecastRun(local.account.entries(), { freeCalls: 37 })).usd).toBe(report.forecast.usd);
});

test("what the other does never reaches the program, and either may answer", async () => {
  const records = [{ platform: "forum", lang: "en", text: "boots" }];
  await using local = await createTestLake({ records });
  await using away = await local.fork({ faults: [{ fault: "drop" }] });
  const remote = connect({ baseUrl: "http://x", apiKey: away.apiKey, fetch: away.fetch });
  const safe = shadow({ local, remote });
  expect((await safe.search({ query: "boots" })).data).toHaveLength(1);
  expect((await safe.report()).differences).toMatchObject([{ kind: "error", path: "status", remote: "0" }]);
  const turned = shadow({ local, remote, answers: "remote" });
  await expect(turned.search({ query: "boots" })).rejects.toMatchObject({ code: "connection_failed" });
  expect((await turned.report()).calls).toBe(1);
});

test("neither a remote that states no amount nor a hook that throws ends the program", async () => {
  const warnings: string[] = [];
  const hear = (warning: Error) => warnings.push((warning as Error & { code: string }).code);
  process.on("warning", hear);
  try {
    const records = [{ platform: "forum", lang: "en", text: "boots" }];
    await using local = await createTestLake({ records, freeCalls: 0 });
    const remote = connect({
      baseUrl: "http://x",
      apiKey: local.apiKey,
      fetch: async (input, init) => {
        const body = (await (await local.fetch(input, init)).json()) as Body;
        return Response.json({ ...body, meta: { ...body.meta, charged_usd: "much" } });
      },
    });
    const onDifference = () => {
      throw new Error("a hook");
    };
    const client = shadow({ local, remote, onDifference });
    expect((await client.search({ query: "boots" })).data).toHaveLength(1);
    const report = await client.report();
    expect(report.differences).toMatchObject([{ kind: "price", remote: '"much"' }]);
    expect(report.chargedUsd).toBe("0.004000"); // the catalogue's price
    await new Promise(setImmediate);
    expect(warnings).toContain("hook_failed");
  } finally {
    process.off("warning", hear);
  }
});

test("options are checked by name", () => {
  expect(() => shadow({} as never)).toThrow(/shadow: local is missing/);
  expect(() => shadow({ local: 1, remote: 1, tolerance: {} } as never)).toThrow(/tolerance.*tolerances/);
});
