import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";

let lake: TestLake;
beforeAll(async () => {
  // 19:00 in UTC is 03:00 of the next day in Singapore.
  lake = await createTestLake({
    records: [{ platform: "forum", lang: "en", text: "boots" }],
    now: "2026-05-27T19:00:00Z",
    limits: "off",
  });
  await lake.search({ query: "boots" });
});
afterAll(() => lake?.close());

it("usage and ledger read a day as usage names it, in Asia/Singapore", async () => {
  const by = ["day" as const, "endpoint" as const];
  for (const [window, calls] of [
    [{ from: "2026-05-28", to: "2026-05-28" }, 1],
    [{ from: "2026-05-28" }, 1],
    [{ to: "2026-05-27" }, 0],
    [{ from: "2026-05-29" }, 0],
    [{ from: "2026-05-27T19:00:00Z", to: "2026-05-27T19:00:00Z" }, 1],
    [{ from: "2026-05-28", to: "2026-05-27T20:00:00Z" }, 1],
    [{ from: "2026-05-27T19:00:00.001Z" }, 0],
  ] as const) {
    const usage = await lake.call("account.usage", { ...window, by });
    const searches = usage.data.items.filter(({ endpoint }) => endpoint === "search");
    expect(searches, JSON.stringify(window)).toHaveLength(calls);
    for (const { day } of searches) expect(day).toBe("2026-05-28");
    const ledger = await lake.call("account.ledger", window);
    expect(ledger.data.items.filter(({ endpoint }) => endpoint === "search")).toHaveLength(calls);
  }
});

it("a window that ends before it begins is refused, days being those of Asia/Singapore", async () => {
  const window = { from: "2026-05-28", to: "2026-05-27T15:59:59.999Z" };
  for (const id of ["account.usage", "account.ledger"] as const)
    await expect(lake.call(id, window)).rejects.toMatchObject({
      code: "invalid_params",
      message: expect.stringContaining("to: must not be before from"),
    });
});
