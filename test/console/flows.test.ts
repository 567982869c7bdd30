import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";
import { HAS_BROWSER, launchBrowser, openConsole, type ServedConsole, serveConsole } from "./open-console.js";

let lake: TemporaryLake;
let served: ServedConsole;
let browser: Browser;

/** What has the focus: its label, its name, or its text. */
const FOCUSED = `(() => {
  const at = document.activeElement;
  return [at.getAttribute("aria-label"), at.labels?.[0]?.textContent, at.textContent].find((text) => text)?.trim() ?? "";
})()`;

/** Presses Tab until something whose name matches has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let i = 0; i < 300; i++) {
    if (name.test(String(await page.evaluate(FOCUSED)))) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${name}`);
}

describe.skipIf(!HAS_BROWSER)("a person", () => {
  beforeAll(async () => {
    lake = await temporarySampleLake();
    [served, browser] = await Promise.all([serveConsole(lake.path), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    expect(served?.errors ?? []).toEqual([]);
    await served?.close();
    await lake?.remove();
  });

  test("with a keyboard alone makes a key, searches, opens a comment tree and runs a query", async () => {
    const { page, faults, context } = await openConsole(browser, served);
    const { keyboard } = page;
    const view = async (name: RegExp) => {
      await tabTo(page, name);
      await keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name }).waitFor();
    };
    await view(/^API keys$/);
    await tabTo(page, /^Name$/);
    await keyboard.type("by keyboard");
    await tabTo(page, /^Make the key$/);
    await keyboard.press("Enter");
    expect(await page.locator(".secret").textContent()).toMatch(/^ml_[0-9A-Za-z]{32}$/);
    await page.getByRole("rowheader", { name: "by keyboard" }).waitFor();

    await keyboard.press("Home");
    await page.reload();
    expect(await page.locator(".secret").count()).toBe(0);
    await view(/^Search$/);
    await tabTo(page, /^Words to search for$/);
    await keyboard.type("lantern");
    await keyboard.press("Enter");
    await page
      .getByText(/found by/)
      .first()
      .waitFor();

    await page.goto(`${served.url}/console/raw?id=raw.short-video.comments`);
    await page.getByLabel("item_id (required)").waitFor();
    await tabTo(page, /^In this lake/);
    await keyboard.press("ArrowDown");
    await expect.poll(() => page.getByLabel("item_id (required)").inputValue()).toMatch(/^\d{15,20}$/);
    await tabTo(page, /^Send the call$/);
    await keyboard.press("Enter");
    await page
      .getByRole("button", { name: /^Unfold/ })
      .first()
      .waitFor();
    await tabTo(page, /^Unfold/);
    await keyboard.press("Enter");
    await page.locator(".comments .comments article").first().waitFor();

    await page.goto(`${served.url}/console/sql`);
    await page.getByRole("textbox", { name: "Query in SQL" }).waitFor();
    await tabTo(page, /^Query in SQL$/);
    await keyboard.press("Control+a");
    await keyboard.type("SELECT 40 + 2 AS answer ");
    await keyboard.press("Escape");
    await keyboard.press("Control+Enter");
    await page.getByRole("cell", { name: "42", exact: true }).waitFor();
    // The editor is no trap.
    await tabTo(page, /^Run$/);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("scrolls a result of 100,000 rows to its end, and downloads it", async () => {
    const { page, faults, context } = await openConsole(browser, served);
    const text = "SELECT range AS i, 'row ' || range AS name FROM range(100000)";
    await page.goto(`${served.url}/console/sql?query=${encodeURIComponent(text)}`);
    const grid = page.getByRole("region", { name: "Rows of the result" });
    await grid.getByText("row 0", { exact: true }).waitFor();
    await page.getByText("100,000 rows").waitFor();
    await grid.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await grid.getByText("row 99999", { exact: true }).waitFor();
    expect(await grid.getByRole("row").count()).toBeLessThan(100);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV" }).click();
    const stream = await (await download).createReadStream();
    let lines = 0;
    for await (const chunk of stream) lines += String(chunk).split("\n").length - 1;
    expect(lines).toBe(100_001);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("sees no vector, whatever is asked", async () => {
    const { page, context } = await openConsole(browser, served);
    await page.goto(
      `${served.url}/console/sql?query=${encodeURIComponent("SELECT id, vec FROM vectors LIMIT 3")}`,
    );
    await page.getByText("[1536 numbers]").first().waitFor();
    await context.close();
  });

  test("diagnoses the lake and watches it", async () => {
    const { page, faults, context } = await openConsole(browser, served);
    await page.goto(`${served.url}/console/datasets?view=keep`);
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await page.getByText(/Verify the lake: done/).waitFor();
    await page.getByRole("heading", { name: "No problem found" }).waitFor();
    await page.getByLabel("Address or folder").fill(`${lake.path}/../nowhere`);
    await page.getByRole("button", { name: "Pull and install" }).click();
    await page.getByText("source_not_found").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("tops up, and sees the calls of programs", async () => {
    const { page, faults, context } = await openConsole(browser, served);
    await page.goto(`${served.url}/console/usage`);
    await page.getByText("No call was made in this time").waitFor();
    await page.getByRole("button", { name: "Top up" }).click();
    await page.getByText("The balance is $110.00.").waitFor();
    await page.getByRole("cell", { name: "top up" }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});
