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

  /** Opens a view on a desktop, as the tests of every view do not leave it. */
  async function open(address: string) {
    const { page } = watched;
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${opened.served.url}/console/${address}`);
    return page;
  }
  const sql = (text: string) => `sql?query=${encodeURIComponent(text)}`;

  test("charts have axes that can be read, whatever the columns", { tags: "slow" }, async () => {
    const dates =
      "SELECT CASE WHEN i = 5 THEN NULL ELSE DATE '2026-01-01' + i::INT END AS d, i AS n FROM range(400) AS t(i)";
    const page = await open(`${sql(dates)}&show=chart`);
    const texts = page.locator("svg.drawn text");
    await page.getByRole("img", { name: "n by d, as lines" }).waitFor();
    await page.getByText("1 row without d: not drawn.").waitFor();
    expect(await texts.count()).toBeLessThan(40);
    const numbers = "SELECT CASE WHEN i % 3 > 0 THEN i END AS x, i AS y FROM range(30) AS t(i)";
    await open(`${sql(numbers)}&show=chart`);
    await page.getByText("10 rows without x: not drawn.").waitFor();
    await expect.poll(() => page.locator("svg.drawn circle").count()).toBe(20);
    const names = "SELECT 'a rather long name ' || i AS k, i AS v FROM range(3000) AS t(i)";
    for (const mark of ["dot", "line"]) {
      await open(`${sql(names)}&show=chart&mark=${mark}`);
      await page.locator("svg.drawn").waitFor();
      expect(await texts.count()).toBeLessThan(40);
    }
    await open(`${sql("SELECT 5 AS v")}&show=chart`);
    await page.getByText("A chart needs a second column").waitFor();
    expect(watched.faults.splice(0)).toEqual([]);
  });

  test("a chart and a row show nothing of another column or row while theirs comes", {
    tags: "slow",
  }, async () => {
    const text =
      "SELECT 'k' || i AS k, i AS small, i * 1000 AS large, repeat('long ', 20) || i AS t FROM range(9) AS t(i)";
    const page = await open(`${sql(text)}&show=chart`);
    let letGo = () => {};
    const hold = async (part: string) => {
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await page.route(`**/console/api/sql/${part}*`, async (route) => {
        await held;
        await route.continue();
      });
    };
    const chart = page.getByRole("img", { name: "large by k, as bars" });
    await page.getByRole("img", { name: "small by k, as bars" }).getByText("k8").waitFor();
    await hold("columns");
    await page.getByLabel("Up").selectOption("large");
    await page.getByText("Loading the columns").waitFor();
    expect(await page.locator("svg.drawn").count()).toBe(0);
    letGo();
    await chart.getByText("8K").waitFor();

    await page.getByRole("button", { name: "Table" }).click();
    await page.getByRole("button", { name: "Open row 1", exact: true }).click();
    await page.getByRole("region", { name: "Row 1, whole" }).getByText("k0").waitFor();
    await hold("row");
    await page.getByRole("button", { name: "Open row 2", exact: true }).click();
    const row = page.getByRole("region", { name: "Row 2, whole" });
    await row.getByText("Loading the row").waitFor();
    expect(await row.getByRole("definition").count()).toBe(0);
    letGo();
    await row.getByText("k1", { exact: true }).waitFor();
    await page.unrouteAll();
    expect(watched.faults.splice(0)).toEqual([]);
  });

  test("a search that takes long says so, beside what was found before", { tags: "slow" }, async () => {
    const page = await open("search");
    await page.getByRole("article").first().waitFor();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route("**/console/api/search*", async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole("searchbox").fill(SAMPLES.query);
    await page.keyboard.press("Enter");
    const status = page.getByRole("region", { name: "Results" }).getByRole("status");
    await status.getByText("Searching").waitFor();
    letGo();
    await status.getByText(/^Best \d+ of/).waitFor();
    await page.unroute("**/console/api/search*");
    expect(watched.faults.splice(0)).toEqual([]);
  });

  test("arrow keys go through the ids that a lake offers for a call", { tags: "slow" }, async () => {
    const [id, name, ids] = (await watched.page.evaluate(`(async () => {
      const ask = async (path) => (await fetch("/console/api/" + path)).json();
      for (const { id, platform, method } of await ask("endpoints")) {
        if (platform === undefined || method !== "GET") continue;
        const { samples } = await ask("endpoint?id=" + id);
        for (const [name, held] of Object.entries(samples))
          if (held.length > 1) return [id, name, held.slice(0, 2).map(({ value }) => value)];
      }
    })()`)) as [string, string, string[]];
    const page = await open(`raw?id=${id}`);
    const field = page.getByLabel(new RegExp(`^${name}( |$)`));
    const offered = page.locator(".param", { has: field }).getByLabel("In this lake");
    expect(new Set(ids).size).toBe(2);
    await offered.focus();
    for (const each of ids) {
      await page.keyboard.press("ArrowDown");
      await expect.poll(() => field.inputValue()).toBe(each);
    }
  });

  test("the header covers nothing that has the focus, and makes room at 400 %", {
    tags: "slow",
  }, async () => {
    const page = await open("endpoints");
    await page.getByRole("link", { name: /^Try/ }).last().focus();
    for (let n = 0; n < 40; n++) {
      await page.keyboard.press("Shift+Tab");
      const [top, below] = (await page.evaluate(`[
        document.activeElement.getBoundingClientRect().top, document.querySelector(".top").getBoundingClientRect().bottom
      ]`)) as [number, number];
      expect(top).toBeGreaterThanOrEqual(below);
    }
    await page.setViewportSize({ width: 320, height: 256 });
    await page.keyboard.press("End");
    const header = page.locator(".top");
    await expect.poll(async () => (await header.boundingBox())!.y).toBeLessThan(-100);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test("colours of the system leave what is pressed and where one is to be seen", {
    tags: "slow",
  }, async () => {
    const page = await open("usage");
    await page.emulateMedia({ forcedColors: "active" });
    const outlined = (name: string) =>
      page.getByRole("button", { name, exact: true }).evaluate((button) => {
        const page = globalThis as unknown as { getComputedStyle(of: unknown): { outlineStyle: string } };
        return page.getComputedStyle(button).outlineStyle;
      });
    expect([await outlined("30 days"), await outlined("7 days")]).toEqual(["solid", "none"]);
    await page.emulateMedia({ forcedColors: "none" });
  });

  test("speaks of an answer where a screen reader listened before it came", { tags: "slow" }, async () => {
    const { tree } = await heldOf(watched.page, SAMPLES.query);
    for (const [address, part, button, said] of [
      ["sql", "Result", "Run", /^\d+ rows?/],
      [`raw?${tree.replace("&run=1", "")}`, "Answer", "Send the call", /^200/],
    ] as const) {
      const page = await open(address);
      const region = page.getByRole("region", { name: part, exact: true });
      await page.getByRole("button", { name: button }).waitFor();
      await region.locator("[role=status]").evaluate((status) => {
        (status as unknown as { id: string }).id = "listened-to";
      });
      await page.getByRole("button", { name: button }).press("Enter");
      await page.locator("#listened-to").getByText(said).waitFor();
    }
    expect(watched.faults.splice(0)).toEqual([]);
  });
});
