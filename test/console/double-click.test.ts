import type { Page, Request } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { HAS_BROWSER, openConsole, type WatchedPage } from "../../scripts/console-walk/browser.js";
import { consoleForTests } from "./open-console.js";

let watched: WatchedPage;

/** Requests of a path of the console's API, held until they are let go. */
async function heldRequests(page: Page, path: string) {
  const asked: Request[] = [];
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(`**/console/api/${path}`, async (route, request) => {
    asked.push(request);
    await gate;
    await route.continue();
  });
  return { asked, letGo };
}

/** Clicks twice in one turn of the page, as fast as no hand does. */
const twice = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).evaluate((button) => {
    const { click } = button as unknown as { click(): void };
    click.call(button);
    click.call(button);
  });

describe.skipIf(!HAS_BROWSER)("a double click in the console", { tags: "slow" }, () => {
  const opened = consoleForTests();
  beforeAll(async () => {
    watched = await openConsole(opened.browser, opened.served);
  });

  /** Opens a tab, double clicks a button of it, and lets the answer come when the button is disabled. */
  async function doubleClick(path: string, name: string): Promise<readonly Request[]> {
    const { page } = watched;
    const { asked, letGo } = await heldRequests(page, path);
    await twice(page, name);
    const button = page.getByRole("button", { name, exact: true });
    await expect.poll(() => button.isDisabled()).toBe(true);
    letGo();
    await expect.poll(() => button.isEnabled()).toBe(true);
    await page.unroute(`**/console/api/${path}`);
    return asked;
  }

  test("makes one key, whose secret is shown, and then another", async () => {
    const { page, faults } = watched;
    await page.goto(`${opened.served.url}/console/keys`);
    const name = page.getByLabel("Name", { exact: true });
    const keys = page.getByRole("rowheader");
    await name.fill("first");
    expect(await doubleClick("keys/create", "Make the key")).toHaveLength(1);
    await page.getByText("Copy the key “first” now.").waitFor();
    await expect.poll(() => keys.count()).toBe(1);
    await name.fill("second");
    // Between the clicks of a hand the first may be answered.
    const button = page.getByRole("button", { name: "Make the key" });
    await button.click();
    await page.getByText("Copy the key “second” now.").waitFor();
    await expect.poll(() => button.isEnabled()).toBe(true);
    await button.dispatchEvent("click", { detail: 2 });
    await name.fill("third");
    await button.click();
    await page.getByText("Copy the key “third” now.").waitFor();
    await expect.poll(() => keys.count()).toBe(3);
    expect(faults).toEqual([]);
  });

  test("tops up once", async () => {
    const { page, faults } = watched;
    await page.goto(`${opened.served.url}/console/usage`);
    await page.getByRole("button", { name: "Top up" }).waitFor();
    expect(await doubleClick("account/topup", "Top up")).toHaveLength(1);
    await page.getByText("The balance is $110.00.").waitFor();
    expect(faults).toEqual([]);
  });

  test("revokes a key once", async () => {
    const { page, faults } = watched;
    await page.goto(`${opened.served.url}/console/keys`);
    await page.getByRole("button", { name: "Revoke first" }).click();
    const { asked, letGo } = await heldRequests(page, "keys/revoke");
    await twice(page, "Revoke for good");
    letGo();
    await page.getByText(/^revoked /).waitFor();
    expect(asked).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  test("starts one job, and shows no refusal of another", async () => {
    const { page, faults } = watched;
    await page.goto(`${opened.served.url}/console/datasets?view=keep`);
    await page.getByRole("button", { name: "Doctor" }).waitFor();
    expect(await doubleClick("jobs/start", "Doctor")).toHaveLength(1);
    await page.getByText(/done in/).waitFor();
    expect(faults).toEqual([]);
  });
});
