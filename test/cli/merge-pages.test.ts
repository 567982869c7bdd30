import { describe, expect, test } from "vitest";
import { mergePages } from "../../src/cli/query/merge-pages.js";
import { type Answer, toAnswer } from "../../src/client/answer.js";

function page(items: readonly object[], more: boolean, meta: Partial<Answer["meta"]> = {}): Answer {
  return toAnswer({
    status: 200,
    headers: { "X-Request-Id": "r" },
    body: {
      request_id: `request-${items.length}-${more}`,
      data: { items, cursor: 9, has_more: more, total: 5 },
      meta: {
        billed: true,
        charged_usd: "0.001500",
        used_free_quota: false,
        free_quota_remaining: 7,
        balance_usd: "1.000000",
        empty: items.length === 0,
        ...meta,
      },
    },
  });
}

async function* sent(...pages: readonly Answer[]) {
  yield* pages;
}

describe("mergePages", () => {
  test("keeps an item that came on two pages once, in the order of first coming", async () => {
    const merged = await mergePages(
      sent(
        page([{ cid: "a" }, { cid: "b" }], true),
        page([{ cid: "b" }, { cid: "c" }], true),
        page([{ cid: "a" }], false),
      ),
    );
    expect(merged.data).toEqual({
      items: [{ cid: "a" }, { cid: "b" }, { cid: "c" }],
      cursor: 9,
      has_more: false,
      total: 5,
    });
  });

  test("adds up what the calls cost, to the micro-dollar", async () => {
    const free = { billed: false, charged_usd: "0.000000", used_free_quota: true };
    const merged = await mergePages(
      sent(page([{ cid: "a" }], true, free), page([{ cid: "b" }], true), page([{ cid: "c" }], false)),
    );
    expect(merged.meta).toMatchObject({ billed: true, used_free_quota: true, charged_usd: "0.003000" });
  });

  test("keeps every item that has no cid, equal ones too", async () => {
    const merged = await mergePages(sent(page([{ at: 1 }], true), page([{ at: 1 }], false)));
    expect(merged.data).toMatchObject({ items: [{ at: 1 }, { at: 1 }] });
  });

  test("is empty when every page was", async () => {
    const merged = await mergePages(sent(page([], false, { billed: false, charged_usd: "0.000000" })));
    expect(merged.meta).toMatchObject({ empty: true, billed: false, charged_usd: "0.000000" });
  });
});
