import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";

/** Records that words may list. */
const MOST = 1000;

let lake: TestLake;
beforeAll(async () => {
  const tea = (lang: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ platform: "forum", lang, text: `tea ${lang} ${i}` }));
  lake = await createTestLake({ records: [...tea("en", MOST), ...tea("es", MOST + 1)], limits: "off" });
});
afterAll(() => lake?.close());

describe("a list of the records that words find", () => {
  it("says where it holds the best alone, on every page", async () => {
    for (const cursor of [0, 980, 1000]) {
      const { data, headers } = await lake.raw("forum", "posts", { q: "tea", lang: "es", cursor, count: 20 });
      expect(data).toMatchObject({ total: MOST, has_more: cursor === 0 });
      expect(headers["x-mirrorlake-note"]).toContain("the best 1,000 records");
    }
  });

  it("says nothing where it holds all of them", async () => {
    for (const params of [{ q: "tea", lang: "en" }, { q: "999" }, { lang: "es" }]) {
      const { data, headers } = await lake.raw("forum", "posts", params);
      expect(data.total).toBeGreaterThan(0);
      expect(headers).not.toHaveProperty("x-mirrorlake-note");
    }
  });
});
