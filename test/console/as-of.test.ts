import { afterAll, beforeAll, expect, test } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import type { CallAnswer, FacetsAnswer, LakeAnswer, SearchAnswer } from "../../src/console/answers.js";
import { createConsole } from "../../src/console/console.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

const ORIGIN = "http://127.0.0.1:8080";

let lake: TemporaryLake;
beforeAll(async () => {
  lake = await temporarySampleLake();
});
afterAll(() => lake?.remove());

/** A console with windows measured from `asOf`, and a session of it. */
async function openSession(asOf: string) {
  const client = await openLake(lake.path, { account: "memory" });
  const webConsole = createConsole({ lake: client, version: "0.0.0", asOf });
  let cookie = "";
  const send = (path: string, body?: unknown) =>
    webConsole.fetch(
      new Request(`${ORIGIN}/console/api/${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { origin: ORIGIN, "content-type": "application/json", cookie },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );
  const opened = await send("session", { token: webConsole.token });
  cookie = String(opened.headers.get("set-cookie")).split(";")[0]!;
  return {
    ask: async <T>(path: string, body?: unknown) => (await (await send(path, body)).json()) as T,
    async [Symbol.asyncDispose]() {
      await webConsole.close();
      await client.close();
    },
  };
}

/** What the console answers with windows measured from `asOf`. */
async function answersOf(asOf: string) {
  await using session = await openSession(asOf);
  const { ask } = session;
  const call = { id: "raw.short-video.ranking", params: { freshness: "24h" } };
  return {
    lake: await ask<LakeAnswer>("lake"),
    search: await ask<SearchAnswer>("search?freshness=24h"),
    facets: await ask<FacetsAnswer>("facets?freshness=24h"),
    ranking: await ask<CallAnswer>("call", call),
  };
}

test("the console measures windows from the instant that serve was told", async () => {
  await using client = await openLake(lake.path, { account: "memory" });
  const [first] = await client.sql<{ oldest: Date }>("SELECT min(captured_at) AS oldest FROM records");
  const oldest = new Date(first!.oldest).toISOString();
  const now = await answersOf("corpus");
  const then = await answersOf(oldest);
  expect(now.lake).toMatchObject({ as_of: now.lake.newest, as_of_rule: "corpus" });
  expect(then.lake).toMatchObject({ as_of: oldest, as_of_rule: "instant", newest: now.lake.newest });
  expect(then.search.candidates).toBeGreaterThan(0);
  expect(then.search.candidates).toBeLessThan(now.search.candidates);
  for (const { search, facets } of [now, then])
    expect(facets.domains.reduce((total, { count }) => total + count, 0)).toBe(search.candidates);
  expect([now.ranking.empty, then.ranking.empty]).toEqual([false, true]);
  const system = await answersOf("system");
  expect(system.lake.as_of_rule).toBe("system");
  expect(Date.parse(system.lake.as_of)).toBeGreaterThan(Date.parse(now.lake.newest));
  expect(system.search.candidates).toBe(0);
});

test("counts beside the filters are what a search with them has to choose from", async () => {
  await using session = await openSession("corpus");
  const { ask } = session;
  const choices: readonly Record<string, string>[] = [
    {},
    { domains: "social" },
    { langs: "en,zh", freshness: "7d" },
    { platforms: "forum" },
  ];
  for (const chosen of choices) {
    const facets = await ask<FacetsAnswer>(`facets?${new URLSearchParams(chosen)}`);
    expect(facets.langs.length).toBeGreaterThan(0);
    for (const name of ["domains", "platforms", "langs"] as const) {
      const { [name]: values } = facets;
      expect(values).toEqual(values.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)));
      for (const { value, count } of values) {
        const params = new URLSearchParams({ ...chosen, [name]: value });
        const { candidates } = await ask<SearchAnswer>(`search?${params}`);
        expect([name, value, count]).toEqual([name, value, candidates]);
        expect(count).toBeGreaterThan(0);
      }
    }
  }
});
