import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, describe, expect, test } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { cachedLake } from "../../src/testing/cached-lake.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import { lakeFixture, withTestLake } from "../../src/testing/lake-fixture.js";
import { makersFrom } from "../../src/testing/makers.js";
import { snapshotSerializer } from "../../src/testing/snapshot-serializer.js";

describe("makers", () => {
  test("make equal rows of equal seeds, valid ones, that endpoints answer in their shapes", async () => {
    const make = (seed: number) => {
      const { aRecord, aThread, aVideo, aPricePath } = makersFrom(seed);
      const video = aVideo({ text: "A lake at dawn" });
      const path = aPricePath({ product: "1234567890", prices: [100, 100, 100, 100, 100, 100, 100, 80] });
      return {
        records: [aRecord.social(), aRecord.ecommerce(), aRecord.web({ title: "Named" }), ...path.records],
        raw: [video, ...aThread({ parent: video.id!, comments: 3, replies: 2 }), ...path.raw],
        video: video.id!,
      };
    };
    expect(make(1)).toEqual(make(1));
    expect(make(1)).not.toEqual(make(2));
    const { video, ...rows } = make(1);
    await using lake = await createTestLake(rows);
    const shape = (id: string) => CATALOGUE.find((row) => row.id === id)!.data;
    const answer = await lake.raw("short-video", "video", { item_id: video });
    expect(shape("raw.short-video.video").safeParse(answer.data).error).toBeUndefined();
    const comments = await lake.raw("short-video", "comments", { item_id: video });
    expect(shape("raw.short-video.comments").safeParse(comments.data).error).toBeUndefined();
    expect(comments.data.items.map(({ reply_count }) => reply_count)).toEqual([2, 2, 2]);
    const prices = await lake.raw("global-marketplace", "price-path", { product_id: "1234567890" });
    expect(prices.data!.series[0]!.points).toHaveLength(8);
    const query = rows.records.at(-1)!.title!;
    const found = await lake.search({ query, freshness: "90d", limit: 100 });
    const priced = found.data.find(({ id }) => id.endsWith("1234567890")) as { price: { drop_7d: number } };
    expect(priced.price.drop_7d).toBe(-20);
  });

  test("make a world in which every raw endpoint answers", async () => {
    await using lake = await createTestLake({ ...makersFrom(1).aWorld(), limits: "off" });
    for (const row of CATALOGUE.filter(({ id, example }) => id.startsWith("raw.") && example !== undefined))
      expect((await lake.call(row.id as string, { ...row.example })).meta.empty, row.id).toBe(false);
  });
});

describe("a fixture of vitest", () => {
  const it = base.extend<{ lake: Awaited<ReturnType<typeof createTestLake>> }>({
    lake: lakeFixture({ records: [{ platform: "forum", lang: "en", text: "boots" }], freeCalls: 1 }),
  });

  it("gives each test a lake of its own", async ({ lake }) => {
    expect((await lake.search({ query: "boots" })).meta.used_free_quota).toBe(true);
  });

  it("in its first state", async ({ lake }) => {
    const answer = await lake.search({ query: "boots" });
    expect(answer.meta.used_free_quota).toBe(true);
    for (const [value, text] of [
      [answer.data[0]!.vec, "[1536 numbers]"],
      [Array.from(answer.data[0]!.vec), "[1536 numbers]"],
      [answer.request_id, "[uuid]"],
      [lake.apiKey, "[key]"],
    ]) {
      expect(snapshotSerializer.test(value)).toBe(true);
      expect(snapshotSerializer.serialize(value)).toBe(text);
    }
    for (const kept of ["boots", [1, 2], answer.data[0]!.id, null])
      expect(snapshotSerializer.test(kept)).toBe(false);
  });

  it("or by a plain function", async () => {
    const found = await withTestLake({ records: [{ platform: "forum", lang: "en", text: "tent" }] }, (lake) =>
      lake.search({ query: "tent" }),
    );
    expect(found.data).toHaveLength(1);
  });
});

test("a lake on disk is made of a fixture once, however many workers ask for it", {
  tags: "slow",
}, async () => {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-cached-"));
  try {
    const [file, cache] = [join(dir, "world.jsonl"), join(dir, "cache")];
    await writeFile(file, '{"platform":"forum","lang":"en","text":"boots"}\n');
    const paths = await Promise.all([1, 2].map(() => cachedLake(file, cache)));
    expect(new Set(paths).size).toBe(1);
    expect(await readdir(cache)).toHaveLength(1);
    const [one, two] = await Promise.all(
      paths.map((path) => openLake(path, { readOnly: true, account: "memory" })),
    );
    expect((await one!.search({ query: "boots" })).data).toHaveLength(1);
    await Promise.all([one!.close(), two!.close()]);
    await writeFile(file, '{"platform":"forum","lang":"en","text":"tent"}\n');
    expect(await cachedLake(file, cache)).not.toBe(paths[0]);
    // A slice is a fixture too.
    const [slice] = await readdir(join(paths[0]!, "slices"));
    expect(await cachedLake(join(paths[0]!, "slices", slice!), cache)).not.toBe(paths[0]);
    await writeFile(file, "{");
    await expect(cachedLake(file, cache)).rejects.toMatchObject({ code: "unreadable_file" });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
