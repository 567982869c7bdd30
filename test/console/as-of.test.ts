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

/** What the console answers with windows measured from `asOf`. */
async function answersOf(asOf: string) {
  await using client = await openLake(lake.path, { account: "memory" });
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
  const call = { id: "raw.short-video.ranking", params: { freshness: "24h" } };
  const answers = {
    lake: (await (await send("lake")).json()) as LakeAnswer,
    search: (await (await send("search?freshness=24h")).json()) as SearchAnswer,
    facets: (await (await send("facets?freshness=24h")).json()) as FacetsAnswer,
    ranking: (await (await send("call", call)).json()) as CallAnswer,
  };
  await webConsole.close();
  return answers;
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
