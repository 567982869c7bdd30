import { describe, expect, test } from "vitest";
import { HAS_BROWSER, openConsole } from "../../scripts/console-walk/browser.js";
import { walkByKeyboard } from "../../scripts/console-walk/keyboard.js";
import { heldOf } from "../../scripts/console-walk/views.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { consoleForTests } from "./open-console.js";

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
});
