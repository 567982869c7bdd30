import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withBudget } from "../../src/budget/with-budget.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { tools } from "../../src/tools.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

let folder: TemporaryLake;
let lake: LakeClient;

beforeAll(async () => {
  folder = await temporarySampleLake();
  lake = await openLake(folder.path, { limits: "off" });
});

afterAll(async () => {
  await lake.close();
  await folder.remove();
});

const comments = { platform: "forum", resource: "comments", id: "p1" };

describe("around a client", () => {
  test("calls are reserved, settled by what they cost, and refused with what they would need", async () => {
    const client = withBudget(lake, { usd: "0.003000", calls: 10 });
    await client.raw("forum", "comments", { post_id: "p1" });
    await client.raw("forum", "post", { post_id: "none" }); // an empty answer is free
    await client.call("raw.forum.comments", { post_id: "p1" });
    await expect(client.call("raw.forum.comments", { post_id: "p1" })).rejects.toMatchObject({
      code: "budget_exceeded",
      message: expect.stringContaining("it needs 0.001500 USD and 0.000000 USD are left"),
    });
    expect(client.budget.report()).toEqual({
      spent: { usd: "0.003000", calls: 3, tokens: 0 },
      left: { usd: "0.000000", calls: 7 },
      by: [
        { name: "raw.forum.comments", usd: "0.003000", calls: 2, tokens: 0 },
        { name: "raw.forum.post", usd: "0.000000", calls: 1, tokens: 0 },
      ],
    });
  });

  test("parallel calls cannot exceed it together, and a failed call gives its share back", async () => {
    const client = withBudget(lake, { usd: "0.004500" });
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => client.call("raw.forum.comments", { post_id: "p1" })),
    );
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    const other = withBudget(lake, { usd: "0.001500" });
    await expect(other.call("raw.forum.comments", { post_id: "" })).rejects.toMatchObject({
      code: "invalid_params",
    });
    await other.call("raw.forum.comments", { post_id: "p1" });
  });

  test("pages and items count every page, and the rest of the client is as it was", async () => {
    const client = withBudget(lake, { calls: 2 });
    const items: unknown[] = [];
    const reading = async () => {
      for await (const item of client.items("raw.forum.posts", { count: 1 })) items.push(item);
    };
    await expect(reading()).rejects.toMatchObject({ code: "budget_exceeded" });
    expect(items).toHaveLength(2);
    expect(await client.sql("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    expect(client.apiKey).toBe(lake.apiKey);
  });

  test("tokens of its answers count, and a model is told what is left", async () => {
    const client = withBudget(lake, { tokens: 10 });
    const [search] = tools(client, { only: ["search"] });
    const first = await search!.execute({ query: "mouse" });
    expect(first.text).toContain("Left of the budget: ");
    const second = await search!.execute({ query: "mouse" });
    expect(second).toMatchObject({ isError: true });
    expect(second.text).toContain("budget_exceeded");
  });
});

describe("around a tool set", () => {
  test("an answer gets no more tokens than are left, and a refusal is an answer", async () => {
    const set = withBudget(tools(lake, { only: ["list_items", "query_sql"] }), { tokens: 2_500, calls: 3 });
    const [list, sql] = set;
    const rows = await sql!.execute({ query: "SELECT * FROM records ORDER BY id", limit: 1000 });
    expect(rows.tokens).toBeLessThanOrEqual(2_500);
    expect(rows.structured.left_out).toBeGreaterThan(0);
    const refused = await list!.execute(comments);
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toMatch(/it needs 1,000 tokens and [\d,]+ tokens are left.*Nothing was called/s);
    expect(set.budget.report().by.map(({ name }) => name)).toEqual(["query_sql"]);
  });

  test("a call that is not begun takes nothing from it", async () => {
    const set = withBudget(tools(lake, { only: ["search"] }), { usd: "0.01", calls: 1 });
    const stopped = AbortSignal.abort(new Error("stopped"));
    await expect(set[0]!.execute({ query: "a" }, { signal: stopped })).rejects.toThrow("stopped");
    await expect(set[0]!.execute({ query: "a" }, { sgnal: stopped } as never)).rejects.toThrow(/sgnal/);
    expect(set.budget.report().spent).toMatchObject({ usd: "0.000000", calls: 0 });
    await set[0]!.execute({ query: "a" });
    expect((await set[0]!.execute({ query: "a" })).text).toContain("it needs 1 call and 0 calls are left");
  });

  test("money is reserved by the dearest endpoint of a tool", async () => {
    const [list] = withBudget(tools(lake, { only: ["list_items"] }), { usd: "0.002" });
    expect(await list!.execute(comments)).toMatchObject({ isError: false });
    expect(await list!.execute(comments)).toMatchObject({ isError: true });
  });
});

test("limits are checked", () => {
  expect(() => withBudget(lake, { usd: "-1" })).toThrow(/negative/);
  expect(() => withBudget(lake, { dollars: 1 } as never)).toThrow(/dollars/);
  expect(() => withBudget({} as never, {})).toThrow(/client/);
});
