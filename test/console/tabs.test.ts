import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";
import {
  HAS_BROWSER,
  launchBrowser,
  openConsole,
  type ServedConsole,
  serveConsole,
  type WatchedPage,
} from "./open-console.js";

/** Another lake than the sample, such as that of `npm run real-lake`, and a folder for pictures of every view. */
const { MIRRORLAKE_CONSOLE_LAKE: OTHER_LAKE, MIRRORLAKE_CONSOLE_SHOTS: SHOTS } = process.env;

/** Every view: its address, and what shows that it is there. */
const VIEWS: Readonly<Record<string, readonly [address: string, ready: (page: Page) => Promise<unknown>]>> = {
  search: ["search", (page) => page.getByRole("article").first().waitFor()],
  found: [
    `search?query=${OTHER_LAKE === undefined ? SAMPLES.query : "phone"}`,
    (page) =>
      page
        .getByText(/found by/)
        .first()
        .waitFor(),
  ],
  nothing: [
    "search?query=x&platforms=nowhere",
    (page) => page.getByText("The filters leave no record").waitFor(),
  ],
  raw: ["raw?id=raw.short-video.comments", (page) => page.getByLabel("item_id (required)").waitFor()],
  overview: ["datasets", (page) => page.getByRole("heading", { name: "Coverage of fields" }).waitFor()],
  slices: ["datasets?view=slices", (page) => page.getByRole("columnheader", { name: "Licence" }).waitFor()],
  map: ["datasets?view=map", (page) => page.locator("circle").first().waitFor({ timeout: 120_000 })],
  keep: ["datasets?view=keep", (page) => page.getByRole("button", { name: "Doctor" }).waitFor()],
  removals: ["datasets?view=removals", (page) => page.getByText("Nothing was removed").waitFor()],
  keys: ["keys", (page) => page.getByRole("heading", { name: "New key" }).waitFor()],
  usage: ["usage", (page) => page.getByText("Free calls left this month").waitFor()],
  endpoints: ["endpoints", (page) => page.getByText(/ of \d+ endpoints/).waitFor()],
  sql: [
    `sql?query=${encodeURIComponent("SELECT platform, lang, count(*) AS records FROM records GROUP BY ALL ORDER BY ALL")}`,
    (page) => page.getByRole("region", { name: "Rows of the result" }).getByRole("row").nth(2).waitFor(),
  ],
  chart: [
    `sql?show=chart&query=${encodeURIComponent("SELECT platform, count(*) AS records FROM records GROUP BY ALL ORDER BY ALL")}`,
    (page) => page.locator("svg.drawn rect").first().waitFor(),
  ],
};

let lake: TemporaryLake | undefined;
let served: ServedConsole;
let browser: Browser;
let watched: WatchedPage;
let axe: string;

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** What axe-core finds of level serious or above. It runs in a world of its own, since the page's policy lets in no script. */
async function violations(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
  });
  await session.send("Runtime.evaluate", { expression: axe, contextId });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run(document, { resultTypes: ["violations"] }).then((found) => JSON.stringify(found.violations))`,
    contextId,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return (JSON.parse(String(result.value)) as Violation[])
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id} ${node.target.join(" ")}: ${node.failureSummary}`),
    );
}

describe.skipIf(!HAS_BROWSER)("every view of the console", () => {
  beforeAll(async () => {
    lake = OTHER_LAKE === undefined ? await temporarySampleLake() : undefined;
    [served, browser] = await Promise.all([serveConsole(OTHER_LAKE ?? lake!.path), launchBrowser()]);
    watched = await openConsole(browser, served);
    axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  });
  afterAll(async () => {
    await browser?.close();
    expect(served?.errors ?? []).toEqual([]);
    await served?.close();
    await lake?.remove();
  });

  test.each(Object.entries(VIEWS))(
    "%s works and is accessible, light, dark and on a phone",
    async (name, view) => {
      const { page, faults } = watched;
      const [address, ready] = view;
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(`${served.url}/console/${address}`);
      await ready(page);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect.soft(await violations(page), colorScheme).toEqual([]);
        if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}-${colorScheme}.png`) });
      }
      await page.emulateMedia({ colorScheme: "light" });
      await page.setViewportSize({ width: 390, height: 844 });
      await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
      if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}-phone.png`) });
      expect(faults.splice(0)).toEqual([]);
    },
  );
});
