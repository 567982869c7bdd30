import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestLake, prepareTestLake } from "../../src/testing/create-test-lake.js";
import { makersFrom } from "../../src/testing/makers.js";
import type { TestLake } from "../../src/testing/test-lake.js";

const { aRecord, aVideo } = makersFrom("folder");
const VIDEO = aVideo();
const SHOP = { slug: "corner-shop", domain: "ecommerce", code: "cor", name: "Corner shop" } as const;
const ROWS = {
  records: [
    aRecord.social({ text: "Boots on a mountain" }),
    aRecord.web({ title: "A tent in the rain" }),
    { platform: "corner-shop", lang: "en", title: "Boots", price: { current: 5, currency: "EUR" } },
  ],
  raw: [VIDEO],
  platforms: [SHOP],
};
let dir: string;
let folder: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-folder-"));
  folder = join(dir, "lakes");
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test("a lake in a folder is made once, answers as one in memory, and keeps no state there", {
  tags: "slow",
}, async () => {
  await using memory = await createTestLake(ROWS);
  await using lake = await createTestLake({ ...ROWS, folder });
  const [made] = await readdir(folder);
  const files = async () => (await readdir(join(folder, made!), { recursive: true })).sort();
  const before = await files();
  for (const one of [memory, lake]) {
    expect(await found(one)).toEqual(await found(memory));
    const { data: video } = await one.raw("short-video", "video", { item_id: VIDEO.id });
    // Numbers that the row does not have are 0 in the answer.
    expect(video).toEqual({
      ...VIDEO.data,
      metrics: { saves: 0, shares: 0, ...(VIDEO.data.metrics as object) },
    });
    // Platforms of its own have the rows of their domain.
    expect((await one.call("raw.corner-shop.products", {})).data).toMatchObject({ total: 1 });
    expect(one.clock.now()).toBe(memory.clock.now());
  }
  const ids = async (one: typeof lake) => (await one.search({ query: "tent" })).request_id;
  await lake.reset();
  const first = await ids(lake);
  await lake.clock.run("40d");
  await lake.reset();
  expect(await ids(lake)).toBe(first);
  await using fork = await lake.fork({ freeCalls: 0 });
  expect((await fork.search({ query: "tent" })).meta.charged_usd).toBe("0.004000");
  expect(await lake.sql("SELECT count(*)::INT AS n FROM records")).toEqual([{ n: 3 }]);
  await using again = await createTestLake({ ...ROWS, folder });
  expect(await ids(again)).toBe(first);
  expect(await readdir(folder)).toEqual([made]);
  expect((await files()).filter((path) => !/lease|lock/.test(path))).toEqual(
    before.filter((path) => !/lease|lock/.test(path)),
  );
});

test("a slice is a fixture, in a folder or in none, and nothing is left of it", {
  tags: "slow",
}, async () => {
  const [made] = await readdir(folder);
  const slices = join(folder, made!, "slices");
  const open = await prepareTestLake({ file: slices, seed: 3 });
  const first = await open();
  await using second = await open({ freeCalls: 0 });
  expect(await found(first)).toHaveLength(3);
  expect((await second.slices({})).data.total).toBeGreaterThan(0);
  expect(first.clock.now()).toBe(second.clock.now());
  await first.close();
  expect((await second.search({ query: "tent" })).meta.charged_usd).toBe("0.004000");
  const cached = join(dir, "of-slices");
  await using kept = await createTestLake({ file: slices, folder: cached });
  expect(await found(kept)).toEqual(await found(second));
  expect(await readdir(cached)).toHaveLength(1);
});

test("what is wrong with a fixture is said before anything is made", async () => {
  await expect(createTestLake({ ...ROWS, file: dir })).rejects.toMatchObject({
    code: "invalid_options",
    value: "records",
  });
  await expect(createTestLake({ file: join(dir, "none.jsonl") })).rejects.toMatchObject({
    code: "unreadable_file",
  });
  const wrong = createTestLake({ folder: join(dir, "bad"), records: [{ platform: "form", lang: "en" }] });
  await expect(wrong).rejects.toMatchObject({ code: "row_invalid" });
  expect(await readdir(join(dir, "bad"))).toEqual([]);
});

async function found(lake: TestLake): Promise<readonly string[]> {
  const { data } = await lake.search({ query: "boots mountain", freshness: "90d" });
  return data.map(({ id }) => id);
}
