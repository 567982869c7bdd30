import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { HAS_BROWSER, openConsole } from "../../scripts/console-walk/browser.js";
import { createLake } from "../../src/ingest/create-lake.js";
import { consoleForTests } from "./open-console.js";

const ARABIC = "مرحبا بالعالم (2026)، هذا نص طويل";
const HINDI = "हिन्दी में समाचार";
/** A teaser of it would end in the middle of a character: each has two UTF-16 units, after one of one. */
const EMOJI = `x${"😀".repeat(400)}`;

async function lakeOfTexts() {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-console-"));
  const path = join(dir, "lake");
  const post = { platform: "forum", prov: { ts: "2026-05-29T12:00:00Z" } };
  await createLake(path, [
    { ...post, lang: "ar", text: ARABIC },
    { ...post, lang: "hi", text: HINDI },
    { ...post, lang: "en", text: EMOJI },
  ]);
  return { path, remove: () => rm(dir, { recursive: true }) };
}

const directionOf = (element: Locator) =>
  element.evaluate((node) => {
    const page = globalThis as unknown as { getComputedStyle(of: unknown): { direction: string } };
    return page.getComputedStyle(node).direction;
  });

describe.skipIf(!HAS_BROWSER)("texts of any script", () => {
  const opened = consoleForTests(lakeOfTexts);

  test("run in their own direction, are cut between characters and marked as words", {
    tags: "slow",
  }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    const text = page.locator(".card-text");
    expect(await directionOf(text.filter({ hasText: ARABIC }))).toBe("rtl");
    expect(await directionOf(text.filter({ hasText: HINDI }))).toBe("ltr");
    const teaser = (await text.filter({ hasText: "😀" }).textContent())!;
    expect(teaser.length).toBeLessThan(EMOJI.length);
    expect(teaser.isWellFormed()).toBe(true);
    await page.goto(`${opened.served.url}/console/search?query=${encodeURIComponent("हिन्दी")}`);
    await expect.poll(() => page.locator("mark").allTextContents()).toEqual(["हिन्दी"]);
    const query = "SELECT text FROM records WHERE lang = 'ar'";
    await page.goto(`${opened.served.url}/console/sql?query=${encodeURIComponent(query)}`);
    expect(await directionOf(page.getByRole("gridcell", { name: ARABIC }))).toBe("rtl");
    expect(faults).toEqual([]);
    await context.close();
  });

  test("of the map can be read without a pointer", { tags: "slow" }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    await page.goto(`${opened.served.url}/console/datasets?view=map`);
    await page.getByText("As a table").press("Enter");
    await page.getByRole("rowheader", { name: ARABIC }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a link is opened elsewhere with a modifier key, in every navigation", { tags: "slow" }, async () => {
    const { page, context } = await openConsole(opened.browser, opened.served);
    for (const [at, link, to] of [
      ["search", "Datasets", "/console/datasets"],
      ["datasets", "Slices", "/console/datasets?view=slices"],
      ["endpoints", "Try /v1/raw/forum/post", "/console/raw?id=raw.forum.post"],
    ] as const) {
      await page.goto(`${opened.served.url}/console/${at}`);
      const other = context.waitForEvent("page");
      await page.getByRole("link", { name: link, exact: true }).click({ modifiers: ["Control"] });
      const tab = await other;
      await tab.waitForURL(`${opened.served.url}${to}`);
      expect(page.url()).toBe(`${opened.served.url}/console/${at}`);
      await tab.close();
    }
    await context.close();
  });
});
