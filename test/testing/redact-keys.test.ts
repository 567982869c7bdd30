import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FetchFunction, recordFetch } from "../../src/cassette/record-fetch.js";
import { replayFetch } from "../../src/cassette/replay-fetch.js";

let dir: string;
let cassettes = 0;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-keys-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Records a call with a key, whose answer is given, and gives what the cassette says and what a replay answers. */
async function recorded(key: string, answer: unknown, asked: object = { query: "anything" }) {
  cassettes += 1;
  const cassette = join(dir, `${cassettes}.jsonl`);
  const record = await recordFetch({ cassette, fetch: async () => Response.json(answer) });
  const call = (fetch: FetchFunction) =>
    fetch("http://x/v1/search", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(asked),
    });
  await call(record);
  await record.close();
  const replayed = await (await call(await replayFetch({ cassette }))).json();
  return { text: await readFile(cassette, "utf8"), replayed };
}

describe("a key that is a word or very short", () => {
  test.each(["test", "local", "anything", "placeholder", "any", "x", "1234", "00000000", "k-1"])(
    "%s: leaves requests and answers as they are",
    async (key) => {
      const data = [
        { id: `soc_frm_${key}`, text: `A ${key}, the ${key}ed ${key}s of con${key}`, [key]: 12_345_678 },
        { title: key, prov: { hash: `0x${Buffer.from(key).toString("hex")}0000000000` } },
      ];
      const asked = { query: `the best ${key} boots`, platforms: [key] };
      const { text, replayed } = await recorded(key, { data }, asked);
      expect(replayed).toEqual({ data });
      expect(text).toContain(`the best ${key} boots`);
    },
  );

  test.each([
    ["Invalid API key: test", "Invalid API key: REDACTED"],
    ["Invalid API key test", "Invalid API key REDACTED"],
    ["the API-Key 'test' is revoked, a test is not", "the API-Key 'REDACTED' is revoked, a test is not"],
    ["authorization: Bearer test", "authorization: Bearer REDACTED"],
    ["x-api-key: test, token=test&page=1", "x-api-key: REDACTED, token=REDACTED&page=1"],
    ['{"apiKey":"test"}', '{"apiKey":"REDACTED"}'],
    ['{\\"x_api_key\\": \\"test\\"}', '{\\"x_api_key\\": \\"REDACTED\\"}'],
    ["Bearer testing, api_key=tests, token=test-1", "Bearer testing, api_key=tests, token=test-1"],
  ])("is taken out where the text says that it is one: %s", async (said, kept) => {
    const { replayed } = await recorded("test", { message: said, api_key: "test" });
    expect(replayed).toEqual({ message: kept, api_key: "REDACTED" });
  });
});

test.each(["abcdefghijklmnop", "test-key", "k3y4me99", "12345678901234567890", "sk-Ab12Cd34"])(
  "the key %s is taken out wherever it stands, however it is written",
  async (key) => {
    const packed = (["base64", "base64url", "hex"] as const).map((form) => Buffer.from(key).toString(form));
    const { text } = await recorded(key, { data: [key, `x${key}x`, ...packed], [key]: 1 });
    for (const form of [key, ...packed]) expect(text).not.toContain(form);
  },
);

test("a short text that is named is not looked for in hashes", async () => {
  const cassette = join(dir, "named.jsonl");
  const body = { by: "Al", hash: "0x416c416c9f", cursor: "QWw=" };
  const record = await recordFetch({
    cassette,
    fetch: async () => Response.json(body),
    redact: { texts: ["Al"] },
  });
  await record("http://x/v1/a");
  await record.close();
  const replay = await replayFetch({ cassette });
  expect(await (await replay("http://x/v1/a")).json()).toEqual({ ...body, by: "REDACTED" });
});

test("a request that has its key in a query or a body is found again, and a miss does not show it", async () => {
  const key = "sk-Ab12Cd34";
  const ask = (fetch: FetchFunction, query: string) =>
    fetch(`http://x/v1/search?credential=${key}`, {
      method: "POST",
      headers: { "x-api-key": key },
      body: JSON.stringify({ query, of: key }),
    });
  const cassette = join(dir, "own-key.jsonl");
  const record = await recordFetch({ cassette, fetch: async () => Response.json({ data: [] }) });
  await ask(record, "a");
  await record.close();
  expect(await readFile(cassette, "utf8")).not.toContain(key);
  const replay = await replayFetch({ cassette });
  expect(await (await ask(replay, "a")).json()).toEqual({ data: [] });
  const miss = await ask(replay, "b").catch((error: unknown) => error);
  expect(miss).toMatchObject({ code: "replay_miss" });
  expect(JSON.stringify(miss)).not.toContain(key);
});
