import { describe, expect, test } from "vitest";
import { HAS_BROWSER, openConsole, openPage } from "../../scripts/console-walk/browser.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { consoleForTests } from "./open-console.js";

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
    await stranger.page.getByLabel("Token").fill("wrong");
    await stranger.page.getByRole("button", { name: "Open the console" }).click();
    await stranger.page.getByText("This token is not that of the running server").waitFor();
    await stranger.page.getByLabel("Token").fill(served.token);
    await stranger.page.getByRole("button", { name: "Open the console" }).click();
    await stranger.page.getByRole("heading", { name: "API keys" }).waitFor();
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
});
