import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

/** @import { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core" */

/** Debian's Chromium, or another by its path. */
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Whether there is a browser; `.ci/run` installs it. */
export const HAS_BROWSER = existsSync(CHROMIUM);

/** @returns {Promise<Browser>} */
export function launchBrowser() {
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
}

/**
 * A page that is watched: what it logs as an error or a warning, throws, says in a dialog, or asks of anybody but its server.
 * @typedef {{ readonly page: Page; readonly context: BrowserContext; readonly faults: string[] }} WatchedPage
 */

/**
 * Opens a page in a context of its own.
 * @param {Browser} browser
 * @param {string} url the server's address, without a slash at the end
 * @param {BrowserContextOptions} [options]
 * @returns {Promise<WatchedPage>}
 */
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  /** @type {string[]} */
  const faults = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const to = request.url();
    if (!to.startsWith(`${url}/`) && !/^(data|blob):/.test(to)) faults.push(`request to ${to}`);
  });
  return { page, context, faults };
}

/**
 * Opens a page and its session: the address that `serve` prints.
 * @param {Browser} browser
 * @param {{ readonly url: string; readonly token: string }} served
 * @param {BrowserContextOptions} [options]
 * @returns {Promise<WatchedPage>}
 */
export async function openConsole(browser, { url, token }, options) {
  const watched = await openPage(browser, url, options);
  await watched.page.goto(`${url}/#token=${token}`);
  await watched.page.getByRole("heading", { level: 1, name: "Search" }).waitFor();
  return watched;
}

/** @type {string | undefined} */
let axe;

/**
 * What axe-core finds of level serious or above. It runs in a world of its own, since the page's policy lets in no script.
 * @param {Page} page
 * @returns {Promise<readonly string[]>}
 */
export async function violations(page) {
  axe ??= readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
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
  /** @type {{ id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[]} */
  const found = JSON.parse(String(result.value));
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id} ${node.target.join(" ")}: ${node.failureSummary}`),
    );
}
