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

  it("says that no record holds what is quoted, as a search does", async () => {
    const q = '"es tea"';
    const note = "no record holds what was quoted: its words were looked for";
    const found = await lake.search({ query: q });
    expect(found.headers["x-mirrorlake-note"]).toBe(note);
    const en = await lake.raw("forum", "posts", { q, lang: "en" });
    expect(en.headers["x-mirrorlake-note"]).toBe(note);
    const es = await lake.raw("forum", "posts", { q, lang: "es" });
    expect(es.headers["x-mirrorlake-note"]).toMatch(`${note}; only the best 1,000 records`);
    const held = await lake.raw("forum", "posts", { q: '"tea es 7"' });
    expect(held.data.total).toBe(1);
    expect(held.headers).not.toHaveProperty("x-mirrorlake-note");
  });

  it("says nothing where it holds all of them", async () => {
    for (const params of [{ q: "tea", lang: "en" }, { q: "999" }, { lang: "es" }]) {
      const { data, headers } = await lake.raw("forum", "posts", params);
      expect(data.total).toBeGreaterThan(0);
      expect(headers).not.toHaveProperty("x-mirrorlake-note");
    }
  });
});
