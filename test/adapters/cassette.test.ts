import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RecordingFetch, recordFetch } from "../../src/cassette/record-fetch.js";
import { connect } from "../../src/client/connect.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { SAMPLE_CALLS } from "../../src/conformance/sample/sample-calls.js";
import { sampleItems } from "../../src/conformance/sample/sample-items.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { CASSETTE } from "../../src/ingest/adapters/cassette/cassette.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";
import { capture } from "../cli/capture.js";
import { convertValues } from "./support.js";

let dir: string;
let cassette: string;
let remote: TestLake;
let record: RecordingFetch;
let installed: LakeClient;
let report: { read: number; records: number; raw: number; rejected: number; unusedByReason: object };

/** Operations whose answers are made of what a lake holds; of each with its resource the first two rows. */
const CALLS = SAMPLE_CALLS.filter(({ id }, i) => {
  const kind = kindOf(i);
  const earlier = SAMPLE_CALLS.slice(0, i).filter((_, at) => kindOf(at) === kind).length;
  return (id === "search" || /^raw\.(?!.*trend$)/.test(id as string)) && earlier < 2;
});

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-cassette-"));
  cassette = join(dir, "calls.jsonl");
  const items = JSON.parse(JSON.stringify(sampleItems(CATALOGUE))) as ReturnType<typeof sampleItems>;
  remote = await createTestLake({
    records: items.flatMap((item) => (item.kind === "record" ? [item.record] : [])),
    raw: items.flatMap((item) => (item.kind === "raw" ? [item.raw] : [])),
    limits: "off",
  });
  record = await recordFetch({ cassette, fetch: remote.fetch });
  const client = connect({ baseUrl: "http://remote", apiKey: remote.apiKey, fetch: record });
  for (const { id, success } of CALLS) await client.call(id as string, { ...success });
  await client.search({ query: "lantern", limit: 100, freshness: "90d" });
  await client.call("account.show", {});
  await client.raw("forum", "post", { post_id: "none" });
  await expect(client.search({ query: "" })).rejects.toMatchObject({ status: 400 });
  await record.close();
  const { code, out, err } = await capture([
    ...["ingest", cassette, "--adapter", "cassette", "--out", join(dir, "slices"), "--json"],
  ]);
  expect(err).toBe("");
  expect(code).toBe(0);
  report = JSON.parse(out);
  await installSlices([join(dir, "slices")], { lake: join(dir, "lake") });
  installed = await openLake(join(dir, "lake"), { limits: "off", account: "memory", clock: remote.clock });
});
afterAll(async () => {
  await installed?.close();
  await remote?.close();
  await rm(dir, { recursive: true, force: true });
});

test("every line is part of items or has a reason", () => {
  expect(report.rejected).toBe(0);
  expect(report.unusedByReason).toEqual({
    "header of the cassette": 1,
    "answer 400": 1,
    "empty answer": 1,
    "account-show: figures that a lake computes itself": 1,
  });
  expect(report.records).toBeGreaterThan(50);
  expect(report.raw).toBeGreaterThan(90);
});

test.each(CALLS)("$id answers from the lake what was recorded", async ({ id, success }) => {
  const [wanted, got] = await Promise.all(
    [remote, installed].map((lake) => lake.call(id as string, { ...success })),
  );
  expect(plain(got!.data)).toEqual(plain(wanted!.data));
});

test("a search finds what was recorded, with the recorded vectors beside the lake's own", async () => {
  const ask = { query: "lantern", limit: 100, freshness: "90d" } as const;
  const [wanted, got] = await Promise.all([remote.search(ask), installed.search(ask)]);
  const ids = new Set(got.data.map(({ id }) => id));
  expect(wanted.data.filter(({ id }) => !ids.has(id))).toEqual([]);
});

test("lines that are none of a cassette are rejected with a reason", async () => {
  const lines = (await readFile(cassette, "utf8")).split("\n").slice(0, 40);
  const found = await convertValues(CASSETTE, [
    ...lines,
    "{",
    '{"at":1}',
    "",
    JSON.stringify(call("/v1/elsewhere", [])),
    JSON.stringify(call("/v1/search", [{ id: "soc_frm_1", text: "a part of the fields" }], "POST")),
    JSON.stringify(call("/v1/raw/forum/post", { $same: "0123456789abcdef" })),
  ]);
  const outcomes = found.flatMap((one) =>
    "reject" in one ? [one.reject.reason] : "unused" in one ? [one.unused.reason] : [],
  );
  expect(outcomes).toContain("is not JSON");
  expect(outcomes).toContain("is neither a call nor a vector");
  expect(outcomes).toContain("blank line");
  expect(outcomes).toContain("endpoint that is in no shipped catalogue");
  expect(outcomes.some((text) => /is missing/.test(text))).toBe(true);
  expect(await convertValues(CASSETTE, ['{"id":1}'])).toMatchObject([
    { reject: { line: 1, reason: "is not the header of a cassette" } },
  ]);
});

test("a platform and a language of all rows are those of the items", async () => {
  const lines = (await readFile(cassette, "utf8")).split("\n").slice(0, 40);
  const found = await convertValues(CASSETTE, lines, { platform: "microblog", language: "en" });
  for (const one of found) {
    if (!("ok" in one)) continue;
    const { platform, lang } = one.ok.kind === "record" ? one.ok.record : one.ok.raw;
    expect([platform, lang]).toEqual(["microblog", "en"]);
  }
});

function kindOf(call: number): string {
  const { operation, options } = CATALOGUE[call]!;
  return `${operation} ${options.resource}`;
}

function call(path: string, data: unknown, method = "GET") {
  return {
    at: "2026-05-30T00:00:00Z",
    ms: 1,
    request: { method, path },
    response: { status: 200, headers: {}, json: { data } },
  };
}

/** An answer without what depends on everything that a lake holds, not on what was recorded. */
function plain(data: unknown): unknown {
  const drop = new Set(["vec", "prov", "total", "has_more", "items_held", "comment_thread", "review_sample"]);
  return JSON.parse(JSON.stringify(data, (key, value) => (drop.has(key) ? undefined : value)));
}
