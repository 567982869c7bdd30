import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CATALOGUE, createLake, type LakeClient, openLake } from "../../src/index.js";
import { EMBEDDER, QUICK } from "../evolution/support.js";

const PLATFORM = { slug: "corner-shop", domain: "ecommerce", code: "cor", name: "Corner shop" } as const;
const base = { platform: "corner-shop", lang: "en" };
const price = (id: string, day: string, current: number) => ({
  ...{ ...base, resource: "price", id: `${id}-${day}`, parent: id, captured_at: `${day}T00:00:00Z` },
  data: { ts: `${day}T00:00:00Z`, current, currency: "EUR" },
});
const product = (id: string, current: number) => ({
  ...{ ...base, id: `eco_cor_${id}`, title: `Tea ${id}`, price: { current, currency: "EUR" } },
  prov: { ts: "2026-05-31T00:00:00Z" },
});

let dir: string;
let lake: LakeClient;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-own-platform-"));
  const rows = [
    ...[product("1", 8), product("2", 5), product("3", 9)],
    ...[price("1", "2026-05-27", 10), price("1", "2026-05-31", 8)],
    ...[price("2", "2026-05-27", 10), price("2", "2026-05-31", 5)],
  ];
  await createLake(join(dir, "lake"), rows as never, { ...QUICK, platforms: [PLATFORM] });
  lake = await openLake(join(dir, "lake"), { embedder: EMBEDDER, account: "memory" });
});
afterAll(async () => {
  await lake.close();
  await rm(dir, { recursive: true, force: true });
});

it("a platform that slices bring answers without a catalogue file", async () => {
  expect(lake.service.catalogue).toHaveLength(CATALOGUE.length + 5);
  const path = await lake.call("raw.corner-shop.price-path", { product_id: "2" });
  expect(path.data).toMatchObject({ id: "2", series: [{ currency: "EUR" }] });
  const one = await lake.call("raw.corner-shop.product", { product_id: "1" });
  expect(one.data).toMatchObject({ title: "Tea 1", price: { drop_7d: -20 } });
});

it("its products are sorted and ranked by the change of their price, the deepest drop first", async () => {
  const titles = (data: unknown) =>
    (data as { items: { title?: string; record?: { title: string }; item?: { title: string } }[] }).items.map(
      (item) => JSON.stringify(item).match(/Tea \d/)![0],
    );
  const sorted = await lake.call("raw.corner-shop.products", { sort: "drop_7d" });
  expect(titles(sorted.data)).toEqual(["Tea 2", "Tea 1", "Tea 3"]);
  const ranked = await lake.call("raw.corner-shop.ranking", { by: "drop_7d", freshness: "90d" });
  expect(titles(ranked.data).slice(0, 2)).toEqual(["Tea 2", "Tea 1"]);
});
