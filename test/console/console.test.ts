import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { HAS_BROWSER, openConsole, openPage } from "../../scripts/console-walk/browser.js";
import { heldOf } from "../../scripts/console-walk/views.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { consoleForTests } from "./open-console.js";

/** What has the focus: its text or label; "nothing" where the page lost it. */
const focus = (page: Page) =>
  page.evaluate(`(() => {
    const at = document.activeElement;
    return at === document.body ? "nothing" : (at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent);
  })()`);

describe.skipIf(!HAS_BROWSER)("the console in Chromium", () => {
  const opened = consoleForTests();

  test("opens with the printed address, keeps no token in it, and asks for it without", {
    tags: "slow",
  }, async () => {
    const { browser, served } = opened;
    const { page, faults, context } = await openConsole(browser, served);
    expect(page.url()).toBe(`${served.url}/console/search`);
    expect(await page.evaluate("document.cookie")).toBe("");
    await page.reload();
    await page.getByRole("heading", { name: "Search" }).waitFor();
    expect(faults).toEqual([]);
    await context.close();

    const stranger = await openPage(browser, served.url);
    await stranger.page.goto(`${served.url}/console/keys`);
    await expect.poll(() => focus(stranger.page)).toBe("Token");
    await stranger.page.getByLabel("Token").fill("wrong");
    await stranger.page.getByRole("button", { name: "Open the console" }).click();
    await stranger.page.getByText("This token is not that of the running server").waitFor();
    await stranger.page.getByLabel("Token").fill(served.token);
    await stranger.page.getByRole("button", { name: "Open the console" }).click();
    await stranger.page.getByRole("heading", { name: "API keys" }).waitFor();
    await expect.poll(() => focus(stranger.page)).toMatch(/^API keys/);
    await stranger.context.close();
  });

  test("searches, says what matched, and has its state in the address", { tags: "slow" }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    await page.getByRole("searchbox").fill(SAMPLES.query);
    await page.keyboard.press("Enter");
    await page
      .getByText(/found by/)
      .first()
      .waitFor();
    expect(new URL(page.url()).searchParams.get("query")).toBe(SAMPLES.query);
    // What is folded is not made: a hundred cards would have thousands of elements more.
    expect(await page.locator("article dl").count()).toBe(0);
    await page.getByText("Provenance and fields").first().click();
    await page.getByText("prov.hash").waitFor();
    expect(await page.locator("article dl").count()).toBe(1);
    const before = await page.getByRole("article").count();
    await page.getByRole("checkbox", { name: /^web/ }).check();
    await page.waitForURL(/domains=web/);
    await expect.poll(() => page.getByRole("article").count()).toBeLessThan(before);
    expect(await page.locator("article.social").count()).toBe(0);
    await page.reload();
    await page
      .getByText(/found by/)
      .first()
      .waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe(SAMPLES.query);
    await page.getByText("Copy the call").click();
    await page.getByRole("button", { name: "curl" }).click();
    await page.getByText(/curl http.*\/v1\/search/).waitFor();
    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has("domains"));
    expect(faults).toEqual([]);
    await context.close();
  });

  test("keeps the focus where a button waits, and where it goes away", { tags: "slow" }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    const go = (address: string) => page.goto(`${opened.served.url}/console/${address}`);
    const press = (name: string) => page.getByRole("button", { name, exact: true }).press("Enter");
    const endless = "SELECT count(*) FROM range(100000000000) AS t(i) WHERE i % 3 = 1";
    await go(`sql?query=${encodeURIComponent(endless)}`);
    await press("Stop");
    await page.getByText("The query was stopped").waitFor();
    expect(await focus(page)).toBe("Run");
    await go("sql?query=SELECT+1");
    await page.getByText("1 row").waitFor();
    const answer = page.waitForResponse("**/console/api/sql");
    await press("Run");
    await answer;
    await page.getByText("1 row").waitFor();
    expect(await focus(page)).toBe("Run");

    await go("search?domains=web");
    await press("Clear the filters");
    await page.waitForURL((url) => !url.searchParams.has("domains"));
    await expect.poll(() => focus(page)).toMatch(/^Format/);
    await page
      .getByText(/^\d+ more$/)
      .last()
      .press("Enter");
    const last = page.getByRole("group", { name: "Platform" }).getByRole("checkbox").last();
    await last.press("Space");
    await page.waitForURL(/platforms=/);
    await last.press("Space");
    await page.waitForURL((url) => !url.searchParams.has("platforms"));
    expect(await last.isVisible()).toBe(true);

    await go("keys");
    await press("Make the key");
    await page.locator(".secret").waitFor();
    await expect.poll(() => focus(page)).toBe("Make the key");
    await press("Hide");
    await expect.poll(() => focus(page)).toMatch(/^API keys/);

    await go(`raw?${(await heldOf(page, SAMPLES.query)).tree}&p.count=1`);
    await press("Next page");
    await page.getByText("up to item 2").waitFor();
    expect(await focus(page)).toBe("Answer");
    expect(faults).toEqual([]);
    await context.close();
  });

  test("has a table that arrow keys go through, to any row and back to it", { tags: "slow" }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    const columns = Array.from({ length: 24 }, (_, n) => `'value ' || i || ' of ${n}' AS c${n}`).join(", ");
    const text = `SELECT i, repeat('long ', 20) AS t, ${columns} FROM range(12000) AS t(i)`;
    await page.goto(`${opened.served.url}/console/sql?query=${encodeURIComponent(text)}`);
    const grid = page.getByRole("grid");
    await grid.getByText("value 0 of 1", { exact: true }).waitFor();
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    /** The text of the row or cell that a screen reader is led to, once it is there. */
    const at = () =>
      page.evaluate(`(() => {
        const grid = document.activeElement;
        const box = document.getElementById(grid.getAttribute("aria-activedescendant"));
        const { top, bottom, left, right } = box?.getBoundingClientRect() ?? {};
        const frame = grid.parentElement.getBoundingClientRect();
        const isSeen = top >= frame.top && bottom <= frame.bottom && (box.matches("tr") || (left >= frame.left && right <= frame.right));
        return isSeen ? box.textContent.slice(0, 20) : "nothing seen";
      })()`);
    // The whole table is one stop of Tab, whatever its rows have to open.
    await page.getByRole("spinbutton", { name: "Row" }).fill("10000");
    await press("Enter");
    await expect.poll(at).toMatch(/^10000999/);
    await press("Tab");
    expect(await focus(page)).not.toMatch(/Open row/);
    await press("Shift+Tab", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight");
    await expect.poll(at).toBe("value 10000 of 0");
    for (let n = 0; n < 23; n++) await press("ArrowRight");
    await expect.poll(at).toBe("value 10000 of 23");
    // As many cells as are seen, not as there are.
    expect(await grid.getByRole("gridcell").count()).toBeLessThan(1_000);
    await press("End");
    await expect.poll(at).toBe("value 11999 of 23");
    await press("PageUp", "PageUp", "Home");
    await expect.poll(at).toBe("value 0 of 23");
    await page.mouse.move(400, 700);
    await page.mouse.wheel(0, 20_000);
    const region = page.getByRole("region", { name: "Rows of the result" });
    await expect.poll(() => region.evaluate((box) => box.scrollTop)).toBe(20_000);
    await press("ArrowDown");
    await expect.poll(at).toBe("value 1 of 23");
    await press("Enter");
    await page.getByRole("region", { name: "Row 2, whole" }).getByText("value 1 of 23").waitFor();
    await expect.poll(() => focus(page)).toBe("Row 2");
    await press("Escape");
    await expect.poll(at).toBe("value 1 of 23");
    expect(faults).toEqual([]);
    await context.close();
  });

  test("opens a long query again, and leaves one that was not run where it is", {
    tags: "slow",
  }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    const ids = Array.from({ length: 2_000 }, (_, n) => `'soc_frm_${String(n).padStart(32, "0")}'`);
    const query = `SELECT 40 + 2 AS answer WHERE 'x' NOT IN (${ids.join(", ")})`;
    const editor = page.getByLabel("Query in SQL");
    const write = async (text: string) => {
      await editor.focus();
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(text);
    };
    await page.getByRole("link", { name: "SQL" }).click();
    await write(query);
    await page.keyboard.press("Control+Enter");
    const answer = page.getByRole("gridcell", { name: "42" });
    await answer.waitFor();
    await page.reload();
    await answer.waitFor();
    // The way to the content is not a way out of the view.
    await page.getByRole("link", { name: "Skip to the content" }).press("Enter");
    await expect.poll(() => focus(page)).toMatch(/^SQL/);
    await answer.waitFor();
    await page.getByRole("link", { name: "Usage" }).click();
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
    await page.goBack();
    await answer.waitFor();
    await write("SELECT 'not yet run'");
    await page.getByRole("link", { name: "Usage" }).click();
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
    await page.getByRole("link", { name: "SQL" }).click();
    await expect.poll(() => editor.textContent()).toBe("SELECT 'not yet run'");
    expect(faults).toEqual([]);
    await context.close();
  });

  test("says in words what comes of a proxy or a server that is away, and goes on when it is back", {
    tags: "slow",
  }, async () => {
    const { page, faults, context } = await openConsole(opened.browser, opened.served);
    await page.route("**/console/api/search*", (route) =>
      route.fulfill({ status: 502, contentType: "text/html", body: "<html>Bad gateway</html>" }),
    );
    await page.getByRole("searchbox").fill(SAMPLES.query);
    await page.keyboard.press("Enter");
    const alert = page.getByRole("region", { name: "Results" }).getByRole("alert");
    await alert.getByText("What came is no answer of the console (status 502)").waitFor();
    await page.unroute("**/console/api/search*");
    await alert.getByRole("button", { name: "Try again" }).press("Enter");
    await page
      .getByText(/found by/)
      .first()
      .waitFor();
    expect(await focus(page)).toBe("Results");

    await page.goto(`${opened.served.url}/console/datasets?view=keep`);
    let away = true;
    await page.route("**/console/api/job?*", async (route) => {
      await (away ? route.abort() : route.continue());
      away = false;
    });
    await page.getByRole("button", { name: "Doctor" }).click();
    await page.getByText("The server does not answer").waitFor();
    await page.getByText("Diagnose the lake: done").waitFor();
    expect(await page.getByText("The server does not answer").count()).toBe(0);
    expect(faults.filter((fault) => !/status of 502|ERR_FAILED/.test(fault))).toEqual([]);
    await context.close();
  });
});
