import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { HAS_BROWSER, openConsole } from "../../scripts/console-walk/browser.js";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { consoleForTests } from "./open-console.js";

/** What would be a script, a request or a frame wherever it were taken for markup. */
const PAYLOADS = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(2)>",
  "javascript:alert(3)",
  '"><svg onload=alert(4)>',
  "'-alert(5)-'",
  '</title></textarea><iframe srcdoc="<script>alert(6)</script>"></iframe>',
  '<a href="javascript:alert(7)">here</a>',
  "<style>*{background:url(https://evil.example/x)}</style>",
  '<form action="https://evil.example/"><button autofocus>',
  "JaVaScRiPt:alert(8)//https://evil.example",
];

/** Every payload in every text of a record, and in the raw items of its video. */
function items(): SliceItem[] {
  const ts = "2026-05-29T12:00:00Z";
  const platform = { platform: "short-video", lang: "en", captured_at: ts, created_at: ts } as const;
  return PAYLOADS.flatMap((payload, n): SliceItem[] => {
    const id = String(7_301_000_000_000_000_000n + BigInt(n));
    const common = { lang: "en", prov: { ts, source: payload } } as const;
    return [
      {
        kind: "record",
        record: {
          ...common,
          id: `soc_evl_${n}`,
          src: "social",
          platform: "evil",
          text: `payload ${payload}`,
          title: payload,
          author: { uid_hash: payload },
          comment_thread: [payload],
          extra: { url: payload, topic: payload },
        },
      },
      {
        kind: "record",
        record: {
          ...common,
          id: `web_gnw_${n}`,
          src: "web",
          platform: "global-news",
          title: `payload ${payload}`,
          entities: [payload],
          sentiment: { score: 0.5, label: payload },
          extra: { url: payload },
        },
      },
      {
        kind: "raw",
        raw: {
          ...platform,
          resource: "comment",
          id: `c${n}`,
          parent: "7301000000000000000",
          score: 1,
          data: {
            cid: `c${n}`,
            text: payload,
            likes: 1,
            ip_location: payload,
            reply_count: 0,
            created_at: ts,
            is_hot: true,
            images: [],
            author: { uid_hash: payload, nickname: payload, uid: "1", sec_uid: "1", unique_id: null },
          },
        },
      },
      {
        kind: "raw",
        raw: {
          ...platform,
          platform: "global-marketplace",
          resource: "price",
          id: `price-${id}`,
          parent: "sku-1",
          score: 1,
          data: { ts, current: n + 1, currency: "USD", location: payload },
        },
      },
    ];
  });
}

async function* batches(): AsyncGenerator<readonly SliceItem[]> {
  yield items();
}

/** A lake of the records of scripts, under names that are scripts. */
async function lakeOfScripts() {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-console-"));
  const path = join(dir, "lake");
  const platforms = [{ slug: "evil", domain: "social", code: "evl", name: PAYLOADS[1]! } as const];
  const slices = await writeSlices(batches(), {
    out: join(dir, "slices"),
    info: { title: PAYLOADS[0]!, licence: PAYLOADS[1]!, attribution: PAYLOADS[3]!, platforms },
  });
  await installSlices(
    slices.map((slice) => slice.dir),
    { lake: path },
  );
  await removeRecords([{ kind: "record", id: "soc_evl_9" }], { lake: path, reason: PAYLOADS[1]! });
  return { path, remove: () => rm(dir, { recursive: true }) };
}

/** Opens all that can be opened, then looks for what a payload would have made. */
async function inert(page: Page): Promise<void> {
  await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
  // What is in them is made when they open.
  await expect.poll(() => page.locator("details[open]:not(:has(> :not(summary)))").count()).toBe(0);
  const made =
    "iframe, img, object, embed, form[action], script:not([src]), #app style, [onerror], [onload], [srcdoc]";
  expect(await page.locator(made).count()).toBe(0);
  const links = await page
    .locator("a")
    .evaluateAll((found) => found.map((link) => (link as unknown as { href: string }).href));
  expect(links.filter((href) => !/^https?:/.test(href))).toEqual([]);
}

test("scripts are no platforms: a lake takes no such slug", async () => {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-console-"));
  const [first] = items();
  if (first?.kind !== "record") throw new Error("the first item is a record");
  for (const platform of PAYLOADS) {
    const record = { ...first.record, platform };
    const written = writeSlices(
      (async function* () {
        yield [{ kind: "record", record }] satisfies SliceItem[];
      })(),
      { out: join(dir, "slices"), info: { title: "t", licence: "l", attribution: "a" } },
    );
    await expect(written).rejects.toThrow();
  }
  await rm(dir, { recursive: true });
});

describe.skipIf(!HAS_BROWSER)("records of scripts", { tags: "slow" }, () => {
  const opened = consoleForTests(lakeOfScripts);

  test("do nothing in any view", async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    const sql = (text: string) => `sql?query=${encodeURIComponent(text)}`;
    const views: readonly (readonly [address: string, shown: string])[] = [
      ["search?query=payload&limit=100", "payload <script>alert(1)</script>"],
      ["search?query=payload&langs=%3Cimg+src%3Dx+onerror%3Dalert(9)%3E", "The filters leave no record"],
      ["raw?id=raw.short-video.comments&p.item_id=7301000000000000000&run=1", "<script>alert(1)</script>"],
      [
        "raw?id=raw.global-marketplace.price-path&p.product_id=sku-1&run=1",
        "<img src=x onerror=alert(2)> (USD)",
      ],
      ["datasets", "Coverage of fields"],
      ["datasets?view=slices", "<script>alert(1)</script>"],
      ["datasets?view=map", "of the variance"],
      ["datasets?view=removals", "<img src=x onerror=alert(2)>"],
      ["datasets?view=slices&platform=%3Cimg+src%3Dx+onerror%3Dalert(9)%3E", "No slice fits"],
      ["keys", "New key"],
      ["usage", "Free calls left this month"],
      ["endpoints?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E", "No endpoint fits the filter"],
      [sql("SELECT title, text, extra_url FROM records ORDER BY id"), "<script>alert(1)</script>"],
      [`${sql("SELECT title, 1 AS n FROM records WHERE title IS NOT NULL")}&show=chart`, "Across"],
      [sql("SELECT * FROM '<img src=x onerror=alert(1)>'"), "Try"],
    ];
    for (const [address, shown] of views) {
      await page.goto(`${opened.served.url}/console/${address}`);
      if (shown === "Try") await page.getByRole("alert").waitFor();
      else await page.getByText(shown).first().waitFor();
      await inert(page);
    }
    // A refused query is a 400, which browsers log; nothing else is.
    expect(faults.filter((fault) => !/status of 400/.test(fault))).toEqual([]);
    await context.close();
  });

  test("do nothing as what a person typed: the name of a key, the source of a pull", async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    await page.goto(`${opened.served.url}/console/keys`);
    for (const payload of PAYLOADS) {
      await page.getByLabel("Name").fill(payload);
      await page.getByRole("button", { name: "Make the key" }).click();
      await page.getByRole("rowheader").filter({ hasText: payload }).waitFor();
    }
    await inert(page);
    await page.goto(`${opened.served.url}/console/datasets?view=keep`);
    for (const payload of [PAYLOADS[1]!, PAYLOADS[2]!, PAYLOADS[9]!]) {
      await page.getByLabel("Address or folder").fill(payload);
      await page.getByRole("button", { name: "Pull and install" }).click();
      await page.getByRole("alert").filter({ hasText: payload }).waitFor();
      await inert(page);
    }
    expect(faults).toEqual([]);
    await context.close();
  });

  test("are not links, but for addresses of the web", async () => {
    const { page, context } = await openConsole(opened.browser, opened.served);
    await page.goto(`${opened.served.url}/console/search?query=payload&limit=100`);
    await page
      .getByText(/found by/)
      .first()
      .waitFor();
    expect(await page.locator("main a").count()).toBe(0);
    await context.close();
  });
});
