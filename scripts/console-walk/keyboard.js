/** @import { Page } from "playwright-core" */
/** @import { Held } from "./views.js" */

/** What has the focus: its label, its name, or its text. */
const FOCUSED = `(() => {
  const at = document.activeElement;
  return [at.getAttribute("aria-label"), at.labels?.[0]?.textContent, at.textContent].find((text) => text)?.trim() ?? "";
})()`;

/**
 * Presses Tab until something whose name matches has the focus.
 * @param {Page} page
 * @param {RegExp} name
 */
async function tabTo(page, name) {
  for (let i = 0; i < 300; i++) {
    if (name.test(String(await page.evaluate(FOCUSED)))) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${name}`);
}

/**
 * Makes a key, searches, opens a comment tree and runs a query with a keyboard alone. Pages are opened by their address where a person
 * would follow a link that somebody sent.
 * @param {Page} page
 * @param {string} url
 * @param {Pick<Held, "query" | "tree">} held
 * @returns {Promise<string>} the key that it made
 * @throws what a page does not show in time, and what Tab does not reach
 */
export async function walkByKeyboard(page, url, { query, tree }) {
  const { keyboard } = page;
  /** @param {RegExp} name */
  const view = async (name) => {
    await tabTo(page, name);
    await keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name }).waitFor();
  };
  await page.goto(`${url}/console/endpoints`);
  await view(/^API keys$/);
  await tabTo(page, /^Name$/);
  await keyboard.type("by keyboard");
  await tabTo(page, /^Make the key$/);
  await keyboard.press("Enter");
  const key = await page.locator(".secret").textContent();
  await page.getByRole("rowheader", { name: "by keyboard" }).first().waitFor();
  await page.reload();
  await page.getByRole("rowheader", { name: "by keyboard" }).first().waitFor();
  if ((await page.locator(".secret").count()) > 0) throw new Error("the key is shown again");

  await view(/^Search$/);
  await tabTo(page, /^Words to search for$/);
  await keyboard.type(query);
  await keyboard.press("Enter");
  await page
    .getByText(/found by/)
    .first()
    .waitFor();

  const call = new URLSearchParams(tree);
  const [name, id] = [...call].find(([each]) => each.startsWith("p.")) ?? ["", ""];
  const field = page.getByLabel(`${name.slice(2)} (required)`);
  await page.goto(`${url}/console/raw?id=${call.get("id")}`);
  await page.getByText("Take an id").first().waitFor({ state: "attached" });
  await tabTo(page, /^In this lake/);
  await keyboard.press("ArrowDown");
  await page.waitForFunction("document.querySelector('.param input')?.value !== ''");
  if ((await field.inputValue()) !== id) {
    await keyboard.press("Shift+Tab");
    await keyboard.press("Control+a");
    await keyboard.type(id);
  }
  await tabTo(page, /^Send the call$/);
  await keyboard.press("Enter");
  await page
    .getByRole("button", { name: /^Unfold/ })
    .first()
    .waitFor();
  await tabTo(page, /^Unfold/);
  await keyboard.press("Enter");
  await page.locator(".comments .comments article").first().waitFor();

  await page.goto(`${url}/console/sql`);
  await page.getByRole("textbox", { name: "Query in SQL" }).waitFor();
  await tabTo(page, /^Query in SQL$/);
  await keyboard.press("Control+a");
  await keyboard.type("SELECT 40 + 2 AS answer ");
  await keyboard.press("Escape");
  await keyboard.press("Control+Enter");
  await page.getByRole("gridcell", { name: "42", exact: true }).waitFor();
  // The editor is no trap.
  await tabTo(page, /^Run$/);
  return key ?? "";
}
