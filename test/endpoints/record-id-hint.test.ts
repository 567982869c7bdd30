import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";

let lake: TestLake;
beforeAll(async () => {
  lake = await createTestLake({
    records: [
      { id: "soc_frm_p1", platform: "forum", lang: "en", text: "Hiking boots that survive rain" },
      {
        id: "eco_glm_x1",
        platform: "global-marketplace",
        lang: "en",
        title: "Boots",
        price: { current: 5, currency: "USD" },
      },
    ],
  });
});
afterAll(() => lake?.close());

async function ask(path: string) {
  const answer = await lake.fetch(`http://lake.test${path}`, { headers: { "x-api-key": lake.apiKey } });
  const { data, meta } = (await answer.json()) as { data: unknown; meta: { empty: boolean } };
  return { data, empty: meta.empty, hint: answer.headers.get("x-mirrorlake-hint") };
}

test.each([
  ["/v1/raw/forum/post?post_id=soc_frm_p1", "post_id", "p1"],
  ["/v1/raw/forum/comments?post_id=soc_frm_p1", "post_id", "p1"],
  ["/v1/raw/global-marketplace/price-path?product_id=eco_glm_x1", "product_id", "x1"],
])("%s is empty, with a hint at the platform's own id", async (path, name, own) => {
  expect(await ask(path)).toMatchObject({
    empty: true,
    hint: `${name} takes the platform's own id: "${own}"`,
  });
});

test("an id of the platform, found or not, has no hint", async () => {
  expect(await ask("/v1/raw/forum/post?post_id=p1")).toMatchObject({ empty: false, hint: null });
  expect(await ask("/v1/raw/forum/post?post_id=p2")).toEqual({ data: null, empty: true, hint: null });
});
