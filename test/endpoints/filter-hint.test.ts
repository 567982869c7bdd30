import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../../src/client/connect.js";
import { headerText } from "../../src/endpoints/header-text.js";
import { type RunningServer, startServer } from "../../src/http/server.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";
import { tools } from "../../src/tools.js";
import { ANY_CHARACTER } from "../support/any-character.js";

let lake: TestLake;
let server: RunningServer;
beforeAll(async () => {
  lake = await createTestLake({
    records: [{ platform: "forum", lang: "en", title: "Tea", prov: { ts: "2026-05-31T00:00:00Z" } }],
  });
  server = await startServer(lake.service);
});
afterAll(async () => {
  await server?.close();
  await lake?.close();
});

const unknown = (count: number) => Array.from({ length: count }, (_, i) => `nowhere-${i}`);

describe("the hint of a call that names what the lake has nothing of", () => {
  it("names each of a few platforms", async () => {
    const { headers } = await lake.search({ query: "tea", freshness: "90d", platforms: unknown(3) });
    const hint = headers["x-mirrorlake-hint"];
    for (const slug of unknown(3)) expect(hint).toContain(slug);
  });

  it("ends each sentence once", async () => {
    const platforms = ["foru", "form", "nowhere"];
    const { headers } = await lake.search({
      query: "tea",
      freshness: "90d",
      platforms,
      domains: ["social", "web"],
    });
    expect(headers["x-mirrorlake-hint"]).toBe(
      'no platform "foru" in this lake; did you mean "forum"? no platform "form" in this lake; did you mean "forum"? ' +
        'no platform "nowhere" in this lake; it has forum. no web records in this lake',
    );
  });

  it("counts the rest of many, so that a client over HTTP gets its answer", async () => {
    const platforms = ["forum", ...unknown(5000)];
    const params = { query: "tea", freshness: "90d", limit: 1, platforms } as const;
    const near = await lake.search(params);
    const remote = connect({ baseUrl: server.url, apiKey: lake.apiKey });
    const far = await remote.search(params);
    await remote.close();
    expect(far.data).toEqual(near.data);
    expect(far.data).toHaveLength(1);
    const hint = near.headers["x-mirrorlake-hint"]!;
    expect(hint).toContain("nowhere-0");
    expect(hint).toMatch(/and nothing of \d+ others$/);
    expect(hint.length).toBeLessThan(2000);
  });
});

describe("the hint of the platform directory", () => {
  const hintOf = async (platform: string) =>
    (await lake.call("datasets.platforms", { platform })).headers["x-mirrorlake-hint"];

  it("says which listed platform an unknown one was meant to be, or which there are", async () => {
    expect(await hintOf("foru")).toBe('no platform "foru" in this lake; did you mean "forum"?');
    expect(await hintOf("nowhere")).toMatch(
      /^no platform "nowhere" in this lake; there are short-video, .*forum/,
    );
  });

  it("says of a platform of the web that the directory has none of the web", async () => {
    expect(await hintOf("global-news")).toBe(
      '"global-news" is of the web; the directory lists social platforms and marketplaces alone',
    );
  });

  it("is absent where the directory has the platform", async () => {
    expect(await hintOf("forum")).toBeUndefined();
  });

  it("is in the answer of the tool for models", async () => {
    const [tool] = tools(lake, { only: ["list_platforms"] });
    expect((await tool!.execute({ platform: "foru" })).text).toContain('did you mean "forum"?');
  });
});

describe("text in a header", () => {
  it("is printable ASCII that says the text, or its beginning where it is long", () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 900 }), (text) => {
        const value = headerText(text);
        expect(value).toMatch(/^[\x20-\x7e]{0,2000}$/);
        const isWhole = !value.endsWith("...") || text.endsWith("...");
        if (isWhole && !text.includes("%")) expect(decodeURIComponent(value)).toBe(text);
        if (value.length < 1900) expect(isWhole).toBe(true);
      }),
    );
  });

  it("is cut between characters", () => {
    const value = headerText("長い文".repeat(3000));
    expect(value.length).toBeLessThanOrEqual(2000);
    expect("長い文".repeat(3000).startsWith(decodeURIComponent(value.slice(0, -3)))).toBe(true);
    expect(value.endsWith("...")).toBe(true);
  });
});
