import { beforeAll, describe, expect, test } from "vitest";
import {
  HAS_BROWSER,
  openConsole,
  violations,
  type WatchedPage,
} from "../../scripts/console-walk/browser.js";
import { heldOf, type View, viewsOf } from "../../scripts/console-walk/views.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { consoleForTests } from "./open-console.js";

let watched: WatchedPage;
let views: Readonly<Record<string, View>>;

describe.skipIf(!HAS_BROWSER)("every view of the console", () => {
  const opened = consoleForTests();
  beforeAll(async () => {
    watched = await openConsole(opened.browser, opened.served);
    views = viewsOf(await heldOf(watched.page, SAMPLES.query));
  });

  test.each(Object.keys(viewsOf({ query: "", tree: "", prices: "" })))(
    "%s works and is accessible, light, dark and on a phone",
    { tags: "slow" },
    async (name) => {
      const { page, faults } = watched;
      const { address, ready, state } = views[name]!;
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(`${opened.served.url}/console/${address}`);
      await ready(page);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect.soft(await violations(page), colorScheme).toEqual([]);
      }
      await page.emulateMedia({ colorScheme: "light" });
      await page.setViewportSize({ width: 390, height: 844 });
      await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
      // A refusal is a 400, which browsers log.
      const found = faults.splice(0).filter((fault) => state !== "error" || !/status of 4\d\d/.test(fault));
      expect(found).toEqual([]);
    },
  );
});
