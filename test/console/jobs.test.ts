import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HAS_BROWSER, openConsole, type WatchedPage } from "../../scripts/console-walk/browser.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { FaultServer } from "../transfer/fault-server.js";
import { type SmallSet, smallSet } from "../transfer/small-set.js";
import { consoleForTests } from "./open-console.js";

let set: SmallSet;
let other: SmallSet;
let publisher: FaultServer;
let watched: WatchedPage;

const source = (page: Page) => page.getByLabel("Address or folder");
const pull = (page: Page) => page.getByRole("button", { name: "Pull and install" });
const records = async (page: Page) =>
  Number(
    /([\d,]+) records/.exec((await page.locator(".lake-facts").textContent())!)![1]!.replaceAll(",", ""),
  );

describe.skipIf(!HAS_BROWSER)("a pull in the console, from a publisher on loopback", { tags: "slow" }, () => {
  const opened = consoleForTests();
  beforeAll(async () => {
    [set, other] = await Promise.all([smallSet(0, 120), smallSet(200, 260)]);
    publisher = await FaultServer.start(set.out);
    watched = await openConsole(opened.browser, opened.served);
    await watched.page.goto(`${opened.served.url}/console/datasets?view=keep`);
    await source(watched.page).waitFor();
  });
  afterAll(async () => {
    await publisher?.close();
    await Promise.all([set?.remove(), other?.remove()]);
  });

  test("shows how far it is while files come, and stops when told", async () => {
    const { page, faults } = watched;
    const before = await records(page);
    // One file comes to a halt half-way, as on a slow line.
    publisher.plan(".parquet", [{ kind: "stall", after: 1_000 }]);
    await source(page).fill(publisher.url);
    await pull(page).click();
    const progress = page.getByRole("progressbar", { name: `Pull from ${publisher.url}` });
    await page.getByText(/[\d.]+ k?B of [\d.]+ k?B/).waitFor();
    const [done, total] = await progress.evaluate((bar) => {
      const { value, max } = bar as unknown as { value: number; max: number };
      return [value, max];
    });
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(total!);
    // One job at a time: what would start another cannot be pressed.
    await expect.poll(() => pull(page).isDisabled()).toBe(true);
    expect(await page.getByRole("button", { name: "Doctor" }).isDisabled()).toBe(true);
    // The job is the server's: a reload finds it again.
    await page.reload();
    await progress.waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText(`Pull from ${publisher.url}: stopped`).waitFor();
    expect(await records(page)).toBe(before);
    expect(faults).toEqual([]);
  });

  test("takes up what has come, installs it, and shows the lake that it made", async () => {
    const { page, faults } = watched;
    const before = await records(page);
    await source(page).fill(publisher.url);
    await pull(page).click();
    await page.getByText(/Pull from .*: done in/).waitFor();
    await page.getByText(`${set.manifests.length} slices installed`).waitFor();
    const added = set.manifests.reduce((sum, { mirrorlake }) => sum + mirrorlake.counts.records, 0);
    await expect.poll(() => records(page)).toBe(before + added);
    await pull(page).click();
    await page.getByText("Nothing new: the lake has every slice.").waitFor();
    expect(faults).toEqual([]);
  });

  test("installs a folder", async () => {
    const { page, faults } = watched;
    const before = await records(page);
    const tab = await watched.context.newPage();
    await tab.goto(`${opened.served.url}/console/search`);
    await tab.getByRole("article").first().waitFor();
    await source(page).fill(other.slices);
    await page.getByRole("button", { name: "Install a folder of slices" }).click();
    await page.getByText(/Install .*: done in/).waitFor();
    await expect.poll(() => records(page)).toBeGreaterThan(before);
    // A page that was open meanwhile sees with its next question that it is another lake.
    await tab.getByRole("searchbox").fill(SAMPLES.query);
    await tab.keyboard.press("Enter");
    await tab
      .getByText(/found by/)
      .first()
      .waitFor();
    await expect.poll(() => records(tab)).toBe(await records(page));
    await tab.close();
    expect(faults).toEqual([]);
  });

  test("says what is wrong with a publisher, and what to do", async () => {
    const { page, faults } = watched;
    publisher.plan("index.json", [{ kind: "status", status: 403 }]);
    await source(page).fill(publisher.url);
    await pull(page).click();
    const alert = page.getByRole("alert");
    await alert.getByText("403").first().waitFor();
    expect(await alert.locator("code").count()).toBe(1);
    expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
