import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FetchFunction, recordFetch } from "../../src/cassette/record-fetch.js";
import { type ReplayingFetch, replayFetch } from "../../src/cassette/replay-fetch.js";

let dir: string;
let cassettes = 0;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-defaults-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

type Ask = (fetch: FetchFunction) => Promise<Response>;
const search =
  (body: object): Ask =>
  (fetch) =>
    fetch("http://x/v1/search", { method: "POST", body: JSON.stringify(body) });
const get =
  (path: string): Ask =>
  (fetch) =>
    fetch(`http://x/v1/raw/${path}`);

/** Records requests, whose answers count up from 1. */
async function recorded(...asks: readonly Ask[]): Promise<ReplayingFetch> {
  cassettes += 1;
  const cassette = join(dir, `${cassettes}.jsonl`);
  let count = 0;
  const fetch = async () => {
    count += 1;
    return Response.json(count);
  };
  const record = await recordFetch({ cassette, fetch });
  for (const ask of asks) await ask(record);
  await record.close();
  return replayFetch({ cassette });
}
const VIDEO = "7300000000000000001";

test.each([
  ["a default written out", search({ query: "a", limit: 20 }), search({ query: "a" })],
  ["a default left out", search({ query: "a" }), search({ query: "a", limit: 20.0, freshness: "24h" })],
  ["different ones", search({ query: "a", limit: 20 }), search({ query: "a", format: "vectors+provenance" })],
  [
    "all domains",
    search({ query: "a", domains: ["web", "social", "ecommerce"] }),
    search({ query: "a", domains: ["social", "ecommerce", "web"] }),
  ],
  [
    "all domains against none",
    search({ query: "a", domains: ["web", "social", "ecommerce"] }),
    search({ query: "a" }),
  ],
  [
    "a page's",
    get(`short-video/comments?item_id=${VIDEO}`),
    get(`short-video/comments?cursor=0&count=20&item_id=${VIDEO}`),
  ],
])("a request matches a recorded one that differs in %s", async (_, was, is) => {
  const replay = await recorded(was);
  expect(await (await is(replay)).json()).toBe(1);
  expect(replay.unused).toEqual([]);
});

test.each([
  ["a value that is no default", search({ query: "a", limit: 19 }), search({ query: "a" })],
  ["some domains", search({ query: "a", domains: ["web", "social"] }), search({ query: "a" })],
  ["a domain twice", search({ query: "a", domains: ["web", "social", "web"] }), search({ query: "a" })],
  ["a default as text", search({ query: "a", limit: "20" }), search({ query: "a" })],
  ["a default that is assumed", get("forum/comments?post_id=1&count=20"), get("forum/comments?post_id=1")],
  [
    "a parameter that comes twice",
    get(`short-video/comments?item_id=${VIDEO}&count=20&count=20`),
    get(`short-video/comments?item_id=${VIDEO}`),
  ],
])("a request does not match a recorded one that differs in %s", async (_, was, is) => {
  const replay = await recorded(was);
  await expect(is(replay)).rejects.toMatchObject({ code: "replay_miss" });
});

test("of requests that differ in defaults alone each gets its own answers", async () => {
  const [long, short] = [search({ query: "a", limit: 20 }), search({ query: "a" })];
  const replay = await recorded(long, short, long);
  const answers = [];
  for (const ask of [short, long, long, search({ query: "a", freshness: "24h" })])
    answers.push(await (await ask(replay)).json());
  expect(answers).toEqual([2, 1, 3, 3]);
});
