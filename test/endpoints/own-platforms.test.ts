import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, installSlices, openLake, startServer, writeSlices } from "mirrorlake";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withOwnPlatforms } from "../../src/contract/service/catalogue/own-platform-rows.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { loadCatalogue } from "../../src/contract/service/catalogue-file/load-catalogue.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";
import { batches, INFO, makeItems, withHash } from "../lake/items.js";

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

let lake: TestLake;
beforeAll(async () => {
  lake = await createTestLake({
    records: [product("1", 8), product("2", 5), product("3", 9)],
    raw: [
      ...[price("1", "2026-05-27", 10), price("1", "2026-05-31", 8)],
      ...[price("2", "2026-05-27", 10), price("2", "2026-05-31", 5)],
    ],
    platforms: [PLATFORM],
  });
});
afterAll(() => lake?.close());

it("a platform of its own answers without a catalogue file", async () => {
  expect(lake.service.catalogue).toHaveLength(CATALOGUE.length + 5);
  const path = await lake.call("raw.corner-shop.price-path", { product_id: "2" });
  expect(path.data).toMatchObject({ id: "2", series: [{ currency: "EUR" }] });
  const one = await lake.call("raw.corner-shop.product", { product_id: "1" });
  expect(one.data).toMatchObject({ title: "Tea 1", price: { drop_7d: -20 } });
});

it("its rows stay beside one of its own, but for that row's namesake and those that are removed", () => {
  const own = loadCatalogue([
    {
      catalogue: 1,
      endpoints: [
        { id: "raw.corner-shop.bargains", operation: "records", options: { sort: "drop_7d" } },
        { id: "raw.corner-shop.price-path", operation: "price-path", options: { id: "sku" } },
        {
          ...{ id: "shop", path: "/v1/raw/corner-shop/reviews", operation: "unmapped" },
          params: { type: "object" },
        },
      ],
    },
  ]);
  const rows = withOwnPlatforms(own, [PLATFORM], new Set(["raw.corner-shop.ranking"]));
  const added = rows.filter((row) => !own.includes(row)).map(({ id }) => id);
  expect(rows.slice(0, own.length)).toEqual(own);
  expect(added).toEqual(["raw.corner-shop.product", "raw.corner-shop.products"]);
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

it("a platform of slices that are installed meanwhile answers after a refresh, through every door", {
  tags: "slow",
}, async () => {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-own-platforms-"));
  try {
    const [first, second, path] = ["first", "second", "lake"].map((name) => join(dir, name)) as [
      string,
      string,
      string,
    ];
    await writeSlices(batches(makeItems(0, 12)), { out: first, info: INFO });
    const item = {
      kind: "record" as const,
      record: withHash({ ...product("1", 8), src: "ecommerce" }, "2026-05-31T00:00:00Z"),
    };
    const info = { ...INFO, platforms: [PLATFORM] };
    await writeSlices(batches([item]), { out: second, info });
    await installSlices([first], { lake: path });
    const client = await openLake(path, { account: "memory" });
    const server = await startServer(client.service, { port: 0 });
    const remote = connect({ baseUrl: server.url, apiKey: client.apiKey });
    try {
      const ask = () =>
        Promise.all([
          client.call("raw.corner-shop.product", { product_id: "1" }),
          remote.call("raw.corner-shop.product", { product_id: "1" }),
        ]);
      await expect(ask()).rejects.toMatchObject({ code: "not_found" });
      await installSlices([second], { lake: path });
      await client.refresh();
      for (const { data } of await ask()) expect(data).toMatchObject({ title: "Tea 1" });
      expect(client.catalogue.map(({ id }) => id)).toContain("raw.corner-shop.product");
      const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: object };
      expect(Object.keys(document.paths)).toContain("/v1/raw/corner-shop/product");
      const bargains = { id: "raw.corner-shop.bargains", operation: "records", options: {} } as const;
      const catalogue = loadCatalogue([{ catalogue: 1, endpoints: [bargains] }]);
      const exact = await openLake(path, { account: "memory", catalogue });
      expect(exact.catalogue).toEqual(catalogue);
      await exact.close();
      const remove = ["raw.corner-shop.ranking", "raw.forum.replies"];
      const all = loadCatalogue([{ catalogue: 1, remove, endpoints: [bargains] }], client.catalogue);
      const extended = await openLake(path, { account: "memory", catalogue: all });
      expect(extended.catalogue).toHaveLength(CATALOGUE.length + 5 - 1);
      expect((await extended.call("raw.corner-shop.product", { product_id: "1" })).data).not.toBeNull();
      await expect(extended.call("raw.corner-shop.ranking", {})).rejects.toThrow();
      await extended.close();
    } finally {
      await remote.close();
      await server.close();
      await client.close();
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
