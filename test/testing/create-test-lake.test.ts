import { describe, expect, test } from "vitest";
import { connect } from "../../src/client/connect.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";

const BOOTS = [
  { platform: "forum", lang: "en", text: "Hiking boots that survive rain" },
  { platform: "forum", lang: "en", text: "A tent for two", prov: { ts: "2026-03-31T15:00:00Z" } },
];

describe("createTestLake", () => {
  test("answers, charges and counts as the service does", async () => {
    await using lake = await createTestLake({ records: BOOTS, freeCalls: 1 });
    const first = await lake.search({ query: "boots", freshness: "90d" });
    expect(first.data.map(({ text }) => text)).toContain("Hiking boots that survive rain");
    expect(first.data[0]!.vec).toHaveLength(1536);
    expect(first.meta).toMatchObject({ billed: false, used_free_quota: true, free_quota_remaining: 0 });
    const second = await lake.search({ query: "boots" });
    expect(second.meta).toMatchObject({ charged_usd: "0.004000", balance_usd: "99.996000" });
    // The clock starts at the newest capture: 23:00 on the last of March in Singapore.
    await lake.clock.run("1h");
    expect((await lake.search({ query: "boots" })).meta).toMatchObject({ free_quota_remaining: 999 });
  });

  test("gives equal bytes for equal seeds, again after a reset, and others for others", async () => {
    const run = async (lake: Awaited<ReturnType<typeof createTestLake>>) => {
      const answer = await lake.fetch("http://any/v1/search", {
        method: "POST",
        headers: { authorization: `Bearer ${lake.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ query: "tent" }),
      });
      return `${JSON.stringify([...answer.headers])}${await answer.text()}${lake.apiKey}`;
    };
    await using lake = await createTestLake({ records: BOOTS });
    const first = await run(lake);
    expect(await run(lake)).not.toBe(first);
    await lake.clock.run("40d");
    await lake.reset();
    expect(await run(lake)).toBe(first);
    await using same = await createTestLake({ records: BOOTS });
    expect(await run(same)).toBe(first);
    await using fork = await lake.fork();
    expect(await run(fork)).toBe(first);
    await using other = await lake.fork({ seed: 2 });
    expect(await run(other)).not.toBe(first);
  });

  test("takes each row as it is when it comes, and refuses a name that would be lost", async () => {
    function* rows() {
      const row = { platform: "forum", lang: "en", text: "" };
      for (const text of ["wool socks", "silk socks"]) yield Object.assign(row, { text });
    }
    await using lake = await createTestLake({ records: rows() });
    const { data } = await lake.search({ query: "socks", freshness: "90d" });
    expect(data.map(({ text }) => text).sort()).toEqual(["silk socks", "wool socks"]);
    const extra = JSON.parse('{"__proto__":"a","topic":"t"}') as { topic: string };
    await expect(createTestLake({ records: [{ ...BOOTS[0]!, extra }] })).rejects.toMatchObject({
      code: "row_invalid",
      message: "Row 0: extra.__proto__ must have another name",
    });
  });

  test("keeps forks apart: balance, window and clock", async () => {
    await using lake = await createTestLake({ records: BOOTS, freeCalls: 0, requestsPerMinute: 1 });
    await using fork = await lake.fork({ balance: "0.001000" });
    await lake.search({ query: "tent" });
    await expect(lake.search({ query: "tent" })).rejects.toMatchObject({ code: "rate_limited" });
    await expect(fork.search({ query: "tent" })).rejects.toMatchObject({ code: "insufficient_credits" });
    await lake.clock.run("1m");
    expect((await lake.search({ query: "tent" })).meta.balance_usd).toBe("99.992000");
    expect(fork.clock.now()).toBe(Date.parse("2026-03-31T15:00:00Z"));
  });

  test("waits out a Retry-After in its own time", async () => {
    await using lake = await createTestLake({ records: BOOTS, requestsPerMinute: 1, retry: { retries: 1 } });
    await lake.search({ query: "tent" });
    const waiting = lake.search({ query: "tent" });
    await lake.clock.run("2m");
    expect((await waiting).data[0]!.text).toBe("A tent for two");
  });

  test("loads no engine before SQL is asked, which then answers, as slices and exports do", async () => {
    await using lake = await createTestLake({ records: BOOTS });
    expect(await lake.sql("SELECT count(*)::INT AS n FROM records")).toEqual([{ n: 2 }]);
    const { data } = await lake.slices({});
    expect(data.total).toBe(1);
    const stream = lake.sqlStream("SELECT text FROM records");
    expect((await stream.next()).value).toHaveLength(2);
    await stream.return();
  });

  test("hands out the files of its slices, over fetch and HTTP, as an installed lake does", async () => {
    await using lake = await createTestLake({ records: BOOTS });
    const [slice] = (await lake.slices({})).data.items;
    const { url } = await lake.serve();
    const doors: [string, typeof lake.fetch][] = [
      ["http://any", lake.fetch],
      [url, fetch],
    ];
    for (const [base, send] of doors) {
      const ask = (path: string, apiKey = lake.apiKey) =>
        send(`${base}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
      const manifest = await ask(slice!.download_url!);
      expect(manifest.status).toBe(200);
      const { resources, mirrorlake } = (await manifest.json()) as typeof slice & object;
      expect(mirrorlake.root).toBe(slice!.mirrorlake.root);
      for (const { path, bytes } of resources) {
        const file = await ask(slice!.download_url!.replace("datapackage.json", path));
        expect((await file.arrayBuffer()).byteLength).toBe(bytes);
      }
      expect((await ask("/datasets/index.json")).status).toBe(200);
      expect((await ask("/datasets/none.json")).status).toBe(404);
      expect((await ask(slice!.download_url!, "ml_wrong")).status).toBe(401);
    }
    await lake.reset();
    const headers = { "x-api-key": lake.apiKey };
    expect((await lake.fetch(`http://any${slice!.download_url}`, { headers })).status).toBe(200);
  });

  test("names the row that is wrong", async () => {
    const wrong = createTestLake({ records: [{ platform: "form", lang: "en", text: "x" }] });
    await expect(wrong).rejects.toMatchObject({
      code: "row_invalid",
      message: expect.stringContaining("forum"),
    });
    await expect(createTestLake({ record: [] } as never)).rejects.toMatchObject({ code: "invalid_options" });
    await expect(createTestLake({ now: "today" })).rejects.toMatchObject({
      code: "invalid_argument",
      message: 'Not an instant: "today"',
      value: "today",
    });
    await using lake = await createTestLake({ records: BOOTS });
    await expect(lake.clock.run("1 day")).rejects.toMatchObject({
      code: "invalid_argument",
      message: 'Not a span of time: "1 day"',
    });
    expect(() => lake.clock.advance(0.5)).toThrow("Not a number of milliseconds: 0.5");
  });

  test("serves over HTTP, and is closed with its servers", async () => {
    const lake = await createTestLake({ records: BOOTS });
    const { url } = await lake.serve();
    const remote = connect({ baseUrl: url, apiKey: lake.apiKey });
    expect((await remote.search({ query: "tent" })).data[0]!.text).toBe("A tent for two");
    await lake.close();
    await expect(lake.search({ query: "tent" })).rejects.toMatchObject({ code: "lake_closed" });
    await expect(remote.search({ query: "tent" })).rejects.toMatchObject({ code: "connection_failed" });
  });
});
