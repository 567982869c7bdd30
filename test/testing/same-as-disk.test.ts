import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { SAMPLE_CALLS } from "../../src/conformance/sample/sample-calls.js";
import { sampleItems } from "../../src/conformance/sample/sample-items.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";
import { copySampleLake } from "../support/sample-lake.js";

let dir: string;
let disk: LakeClient;
let memory: TestLake;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-same-"));
  // Values that are undefined are not written to a slice either.
  const items = JSON.parse(JSON.stringify(sampleItems(CATALOGUE))) as ReturnType<typeof sampleItems>;
  memory = await createTestLake({
    records: items.flatMap((item) => (item.kind === "record" ? [item.record] : [])),
    raw: items.flatMap((item) => (item.kind === "raw" ? [item.raw] : [])),
    limits: "off",
  });
  disk = await openLake(await copySampleLake(dir), {
    limits: "off",
    account: "memory",
    clock: memory.clock,
  });
});

afterAll(async () => {
  await memory?.close();
  await disk?.close();
  await rm(dir, { recursive: true, force: true });
});

// Keys and request ids are random on disk; a manifest names when and of what its slice was made.
const CALLS = SAMPLE_CALLS.filter(({ id }) => !id.startsWith("account.") && id !== "datasets.slices");

test.each(CALLS)("$id answers as from a lake on disk", async ({ id, success, empty = {} }) => {
  for (const params of [success, empty]) {
    const [wanted, got] = await Promise.allSettled([
      disk.call(id as string, { ...params }),
      memory.call(id as string, { ...params }),
    ]);
    expect(strip(got)).toEqual(strip(wanted));
  }
});

test.each([
  { query: "lantern", limit: 100, freshness: "90d" },
  { query: '"almanac"', domains: ["social"], freshness: "90d", format: "records" },
  { query: "mouse", platforms: ["global-marketplace"] },
])("search finds what a lake on disk finds: %j", async (params) => {
  const ids = async (lake: Pick<LakeClient, "search">) =>
    (await lake.search(params as { query: string })).data.map(({ id }) => id).sort();
  expect(await ids(memory)).toEqual(await ids(disk));
});

/** The outcome without what is a call's own: ids, and vectors, whose last digits depend on the order of rows. */
function strip(outcome: PromiseSettledResult<unknown>): unknown {
  const drop = new Set(["request_id", "requestId", "vec", "meta"]);
  const text = JSON.stringify(
    outcome.status === "fulfilled" ? outcome.value : outcome.reason,
    (key, value) => (drop.has(key) ? undefined : value),
  );
  const value = JSON.parse(text);
  if (Array.isArray(value.data) && value.data[0]?.src !== undefined)
    value.data.sort((a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1));
  return value;
}
