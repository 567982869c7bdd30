import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { HAS_BROWSER, openConsole } from "../../scripts/console-walk/browser.js";
import { walkByKeyboard } from "../../scripts/console-walk/keyboard.js";
import { heldOf } from "../../scripts/console-walk/views.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { consoleForTests } from "./open-console.js";

/** Whether an element has the focus. */
const focused = (element: Locator) =>
  element.evaluate((node) => {
    const page = globalThis as unknown as { document: { activeElement: unknown } };
    return page.document.activeElement === node;
  });

describe.skipIf(!HAS_BROWSER)("a person", () => {
  const opened = consoleForTests();

  test("with a keyboard alone makes a key, searches, opens a comment tree and runs a query", {
    tags: "slow",
  }, async () => {
    const { browser, served } = opened;
    const { page, faults, context } = await openConsole(browser, served);
    const key = await walkByKeyboard(page, served.url, await heldOf(page, SAMPLES.query));
    expect(key).toMatch(/^ml_[0-9A-Za-z]{32}$/);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("with a keyboard alone revokes a key, asked first, and keeps the place in the page", {
    tags: "slow",
  }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    await page.goto(`${opened.served.url}/console/keys`);
    await page.getByLabel("Name", { exact: true }).fill("spare");
    await page.keyboard.press("Enter");
    const revoke = page.getByRole("button", { name: "Revoke spare" });
    const [keep, forGood] = ["Keep", "Revoke for good"].map((name) => page.getByRole("button", { name }));
    await revoke.press("Enter");
    await expect.poll(() => focused(keep!)).toBe(true);
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(revoke)).toBe(true);
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(keep!)).toBe(true);
    await page.keyboard.press("Shift+Tab");
    expect(await focused(forGood!)).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByText(/^revoked /).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("scrolls a result of 100,000 rows to its end, and downloads it", { tags: "slow" }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    const text = "SELECT range AS i, 'row ' || range AS name FROM range(100000)";
    await page.goto(`${opened.served.url}/console/sql?query=${encodeURIComponent(text)}`);
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

  test("hears that a result is gone when it is downloaded, and runs its query again", {
    tags: "slow",
  }, async () => {
    const { page, context } = await openConsole(opened.browser, opened.served);
    const text = "SELECT range AS i FROM range(1000)";
    await page.goto(`${opened.served.url}/console/sql?query=${encodeURIComponent(text)}`);
    await page.getByText("1,000 rows").waitFor();
    const csv = page.getByRole("link", { name: "CSV" });
    const alert = page.getByRole("alert");
    const downloads = async (click: () => Promise<void>) => {
      const [download] = await Promise.all([page.waitForEvent("download"), click()]);
      expect(await download.failure()).toBe(null);
    };
    // Others' queries push it out.
    await page.evaluate(`(async () => {
      for (let n = 0; n < 6; n++)
        await fetch("api/sql", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"text":"SELECT 1"}' });
    })()`);
    await csv.click();
    await alert.getByText("The server no longer keeps this result").waitFor();
    await alert.getByRole("button", { name: "Run the query again" }).click();
    await expect.poll(() => alert.count()).toBe(0);
    await downloads(() => csv.click());

    const pages = "**/console/api/sql/page*";
    await page.route(pages, (route) => route.abort());
    await csv.click();
    await alert.getByText("The server does not answer").waitFor();
    await page.unroute(pages);
    await downloads(() => alert.getByRole("button", { name: "Try again" }).click());
    expect(await alert.count()).toBe(0);

    await context.clearCookies();
    await csv.press("Enter");
    await page.getByText("This browser has no session of the console").waitFor();
    await page.getByLabel("Token").fill(opened.served.token);
    await page.keyboard.press("Enter");
    await page.getByText("1,000 rows").waitFor();
    await context.close();
  });

  test("finds what was written and not run after a reload, in that tab and lake alone", {
    tags: "slow",
  }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    const written = async (of: Page) => (await of.getByLabel("Query in SQL").textContent()) ?? "";
    const write = async (text: string) => {
      await page.getByLabel("Query in SQL").click();
      await page.keyboard.press("Control+A");
      await page.keyboard.type(text);
    };
    await page.goto(`${opened.served.url}/console/sql`);
    await write("SELECT 1 AS draft");
    await page.reload();
    expect(await written(page)).toBe("SELECT 1 AS draft");
    await page.keyboard.press("Control+Enter");
    await page.getByLabel("Query in SQL").press("Control+Enter");
    await page.getByText("1 row", { exact: false }).waitFor();
    await write("SELECT 2 AS other");
    await page.reload();
    expect(await written(page)).toBe("SELECT 2 AS other");
    // A link shows its query.
    await page.goto(`${opened.served.url}/console/sql?query=${encodeURIComponent("SELECT 3 AS linked")}`);
    expect(await written(page)).toBe("SELECT 3 AS linked");
    await page.goto(`${opened.served.url}/console/sql`);
    expect(await written(page)).toBe("SELECT 2 AS other");

    const tab = await context.newPage();
    await tab.goto(`${opened.served.url}/console/sql`);
    expect(await written(tab)).toContain("GROUP BY ALL");
    await page.route("**/console/api/lake", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), id: "another" } });
    });
    await page.reload();
    expect(await written(page)).toContain("GROUP BY ALL");
    expect(faults).toEqual([]);
    await context.close();
  });

  test("reads a long value of a result whole, and comes back to its row", { tags: "slow" }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    const text =
      "SELECT range AS i, repeat('long ', range * 300) || 'end' AS text, NULL AS none FROM range(40)";
    await page.goto(`${opened.served.url}/console/sql?query=${encodeURIComponent(text)}`);
    const open = page.getByRole("button", { name: "Open row 31" });
    // A row that fits has nothing to open.
    await page.getByRole("button", { name: "Open row 2", exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Open row 1", exact: true }).count()).toBe(0);
    await page.getByRole("region", { name: "Rows of the result" }).evaluate((box) => box.scrollTo(0, 700));
    await open.press("Enter");
    const row = page.getByRole("region", { name: "Row 31, whole" });
    const values = row.getByRole("definition");
    await values.first().waitFor();
    expect(await values.allTextContents()).toEqual(["30", `${"long ".repeat(9_000)}end`, "NULL"]);
    expect(await focused(row.getByRole("heading"))).toBe(true);
    await row.getByRole("button", { name: "Close the row" }).press("Enter");
    await expect.poll(() => focused(open)).toBe(true);
    expect(await row.count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("searches for as many characters as the service takes, and hears that there are more", {
    tags: "slow",
  }, async () => {
    const { page, context } = await openConsole(opened.browser, opened.served);
    const box = page.getByRole("searchbox");
    await box.focus();
    await page.keyboard.insertText("🦊".repeat(500));
    expect((await box.inputValue()).length).toBe(1_000);
    await page.keyboard.press("Enter");
    await page.getByRole("status").first().waitFor();
    await page
      .getByText(/candidates|records?/)
      .first()
      .waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await box.fill("x".repeat(501));
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("must have 0 to 500 characters").waitFor();
    await context.close();
  });

  test("shows a view for an address of none", { tags: "slow" }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    await page.goto(`${opened.served.url}/console/datasets?view=nope`);
    const views = page.getByRole("navigation", { name: "Views of the datasets" });
    await views.locator("[aria-current]").getByText("Overview").waitFor();
    await page.getByRole("heading", { name: "Platforms" }).waitFor();
    await page.goto(`${opened.served.url}/console/raw?id=nope`);
    await page.getByText("The catalogue has no endpoint nope: choose one.").waitFor();
    await page.getByRole("combobox", { name: "Resource" }).selectOption({ index: 1 });
    await page.getByText("The catalogue has no endpoint").waitFor({ state: "detached" });
    expect(faults).toEqual([]);
    await context.close();
  });

  test("comes back from behind the end of a list", { tags: "slow" }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    await page.goto(`${opened.served.url}/console/datasets?view=slices&offset=100000`);
    await page.getByText(/^The list ends at \d+$/).waitFor();
    expect(await page.getByText("No slice fits").count()).toBe(0);
    await page.getByRole("button", { name: "Previous" }).click();
    await page
      .getByText(/^(1|51) to \d+ of \d+$/)
      .or(page.getByRole("region", { name: "Slices" }))
      .first()
      .waitFor();
    await expect
      .poll(() => page.getByRole("region", { name: "Slices" }).getByRole("rowheader").count())
      .toBeGreaterThan(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("sees no vector, whatever is asked", { tags: "slow" }, async () => {
    const { page, context } = await openConsole(opened.browser, opened.served);
    await page.goto(
      `${opened.served.url}/console/sql?query=${encodeURIComponent("SELECT id, vec FROM vectors LIMIT 3")}`,
    );
    await page.getByText("[1536 numbers]").first().waitFor();
    await context.close();
  });

  test("diagnoses the lake and watches it", { tags: "slow" }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    await page.goto(`${opened.served.url}/console/datasets?view=keep`);
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await page.getByText(/Verify the lake: done/).waitFor();
    await page.getByRole("heading", { name: "No problem found" }).waitFor();
    await page.getByLabel("Address or folder").fill(`${opened.path}/../nowhere`);
    await page.getByRole("button", { name: "Pull and install" }).click();
    await page.getByText("source_not_found").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("tops up, and sees the calls of programs", { tags: "slow" }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    await page.goto(`${opened.served.url}/console/usage`);
    await page.getByText("No call was made in this time").waitFor();
    await page.getByRole("button", { name: "Top up" }).click();
    await page.getByText("The balance is $110.00.").waitFor();
    await page.getByRole("cell", { name: "top up" }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  describe("who runs another query", () => {
    const result = (page: Page) => page.getByRole("region", { name: "Result", exact: true });
    const address = (text: string) => `/console/sql?query=${encodeURIComponent(text)}`;

    test("sees its result, never that of the one before", { tags: "slow" }, async () => {
      const { page, faults, context } = await openConsole(opened.browser, opened.served);
      let letGo = () => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await page.route("**/console/api/sql", async (route, request) => {
        if (request.postData()?.includes("first")) await held;
        await route.continue().catch(() => {}); // the page no longer waits for it
      });
      await page.goto(`${opened.served.url}${address("SELECT 'first' AS who")}`);
      const editor = page.getByLabel("Query in SQL");
      await editor.click();
      await page.keyboard.press("Control+A");
      await page.keyboard.type("SELECT 'second' AS who");
      const first = page.waitForEvent("requestfailed");
      await page.keyboard.press("Control+Enter");
      await result(page).getByText("second", { exact: true }).waitFor();
      letGo();
      await first;
      expect(await result(page).getByText("first", { exact: true }).count()).toBe(0);
      await page.goBack();
      await result(page).getByText("first", { exact: true }).waitFor();
      expect(await editor.textContent()).toBe("SELECT 'first' AS who");
      await page.goto(`${opened.served.url}/console/sql`);
      await page.getByText("No result yet").waitFor();
      expect(faults).toEqual([]);
      await context.close();
    });

    test("and stops it sees that, and no older result", { tags: "slow" }, async () => {
      const { page, faults, context } = await openConsole(opened.browser, opened.served);
      await page.goto(`${opened.served.url}${address("SELECT 'first' AS who")}`);
      await result(page).getByText("first", { exact: true }).waitFor();
      await page.getByLabel("Query in SQL").click();
      await page.keyboard.press("Control+A");
      await page.keyboard.type("SELECT count(*) FROM range(100000000000) AS t(i) WHERE i % 3 = 1");
      await page.keyboard.press("Control+Enter");
      await page.getByRole("button", { name: "Stop" }).click();
      await result(page).getByText("The query was stopped").waitFor();
      expect(await result(page).getByText("first", { exact: true }).count()).toBe(0);
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByRole("button", { name: "Stop" }).click();
      expect(faults).toEqual([]);
      await context.close();
    });
  });

  test("keeps what was typed before the page has done all that it does after drawing", {
    tags: "slow",
  }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    // What comes after a drawing comes when the test says so. Preact does not wait longer than that for a frame.
    await page.addInitScript(`
      const held = [];
      const later = setTimeout;
      window.requestAnimationFrame = (call) => held.push(call);
      window.setTimeout = (call, ms = 0) => (ms >= 30 && ms <= 200 ? held.push(call) : later(call, ms));
      window.release = () => { for (const call of held.splice(0)) call(performance.now()); };
    `);
    const release = () => page.evaluate("release()");
    const [one, other] = ["6900000000000000001", "6900000000000000002"];
    await page.goto(`${opened.served.url}/console/raw?id=raw.short-video.comments&p.item_id=${one}`);
    const item = page.getByLabel("item_id (required)");
    const isThere = async () => {
      if (await item.isVisible()) return true;
      await release();
      return false;
    };
    await expect.poll(isThere).toBe(true);
    await item.fill(other);
    await release();
    expect(await item.inputValue()).toBe(other);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("goes back to a call, and finds it in the form", { tags: "slow" }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    const [one, other] = ["6900000000000000001", "6900000000000000002"];
    const call = `id=raw.short-video.comments&p.item_id=${one}&p.cursor=40&run=1`;
    await page.goto(`${opened.served.url}/console/raw?${call}`);
    const item = page.getByLabel("item_id (required)");
    await item.fill(other);
    await page.getByRole("button", { name: "Send the call" }).click();
    await page.waitForURL(new RegExp(other));
    expect(page.url()).not.toContain("cursor");
    await page.goBack();
    await expect.poll(() => item.inputValue()).toBe(one);
    expect(await page.getByLabel("cursor").inputValue()).toBe("40");
    expect(faults).toEqual([]);
    await context.close();
  });
});
