import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HAS_BROWSER, launchBrowser, openConsole, type ServedConsole, serveConsole } from "./open-console.js";

/** A large lake, such as that of `npm run real-lake`: times of the sample would say nothing, and times hang on the machine. */
const LAKE = process.env.MIRRORLAKE_CONSOLE_LAKE;

let served: ServedConsole;
let browser: Browser;

/** Collects tasks over 50 ms from now on. */
const WATCH = `window.longTasks = [];
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.longTasks.push(Math.round(duration)); })
    .observe({ type: "longtask" });`;

const longTasks = (page: Page) => page.evaluate("window.longTasks") as Promise<number[]>;

describe.skipIf(!HAS_BROWSER || LAKE === undefined)("on a large lake", () => {
  beforeAll(async () => {
    [served, browser] = await Promise.all([serveConsole(LAKE!), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  test("something is painted within a second", async () => {
    const { page, context } = await openConsole(browser, served);
    const paints: number[] = [];
    for (let i = 0; i < 5; i++) {
      await page.reload();
      await page.getByRole("article").first().waitFor();
      paints.push(
        Math.round(
          Number(await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")),
        ),
      );
    }
    console.log(`first contentful paint, ms: ${paints.join(", ")}`);
    expect(paints.sort((a, b) => a - b)[2]).toBeLessThan(1_000);
    await context.close();
  });

  test("typing is fluid", async () => {
    const { page, context } = await openConsole(browser, served);
    await page.goto(`${served.url}/console/search?query=phone&limit=100`);
    await page.getByRole("article").nth(50).waitFor();
    await page.evaluate(WATCH);
    await page
      .getByRole("searchbox")
      .pressSequentially("wireless mouse with a long battery life", { delay: 30 });
    const search = await longTasks(page);
    await page.goto(`${served.url}/console/sql`);
    await page.getByRole("textbox", { name: "Query in SQL" }).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("SELECT ");
    await page.evaluate(WATCH);
    await page.keyboard.type("platform, count(*) FROM records WHERE lang", { delay: 30 });
    const sql = await longTasks(page);
    console.log(
      `tasks over 50 ms while typing: search ${search.join(", ") || "none"}; SQL ${sql.join(", ") || "none"}`,
    );
    expect([search, sql]).toEqual([[], []]);
    await context.close();
  });

  test("the map is made without holding the server for long", async () => {
    const { page, context } = await openConsole(browser, served);
    let [last, most] = [performance.now(), 0];
    const timer = setInterval(() => {
      const now = performance.now();
      most = Math.max(most, now - last - 5);
      last = now;
    }, 5);
    const started = performance.now();
    await page.goto(`${served.url}/console/datasets?view=map`);
    await page.locator("circle").first().waitFor({ timeout: 120_000 });
    clearInterval(timer);
    console.log(
      `map in ${Math.round(performance.now() - started)} ms, event loop held at most ${Math.round(most)} ms`,
    );
    await context.close();
  });
});
