/**
 * Walks through the web console of a served lake in headless Chromium: every tab with data, without and refused, light, dark and 390 px
 * wide; with a keyboard alone; and measures paint, tasks while typing and scrolling, and how long the server's event loop is held. Fails on
 * an error in the page's log, a request to elsewhere, a violation of level serious or above that axe-core finds, a page wider than a
 * phone, and a target that is missed.
 *
 *   npm run task console-walk -- [--lake .mirrorlake/real] [--records 100000] [--data ../shared/data] [--rounds 5]
 *                                [--only pages,keyboard,times] [--screenshots DIR] [--json]
 */
import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startServerProcess } from "../soak/server-process.js";
import { HAS_BROWSER, launchBrowser, openConsole, violations } from "./browser.js";
import { merged, summary, table } from "./figures.js";
import { walkByKeyboard } from "./keyboard.js";
import { lakeOfTheWalk } from "./lake.js";
import { measureLoop, measurePages } from "./measure.js";
import { heldOf, READ_ONLY_VIEWS, viewsOf } from "./views.js";

/** @import { Browser, Page } from "playwright-core" */
/** @import { Figure } from "./figures.js" */
/** @import { Served } from "./measure.js" */
/** @import { View } from "./views.js" */

const WATCH = new URL("watch-loop.js", import.meta.url).href;
const LOOKS = /** @type {const} */ (["light", "dark", "phone"]);
const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };

const { values } = parseArgs({
  options: {
    lake: { type: "string", default: ".mirrorlake/real" },
    records: { type: "string", default: "100000" },
    data: { type: "string", default: "../shared/data" },
    rounds: { type: "string", default: "5" },
    query: { type: "string", default: "phone" },
    only: { type: "string", default: "pages,keyboard,times" },
    screenshots: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const only = new Set(values.only.split(","));
const rounds = Number(values.rounds);

/** What went wrong, in words. @type {string[]} */
const faults = [];
/** @param {string} line */
const say = (line) => {
  if (!values.json) console.log(line);
};

/**
 * Opens every view, looks at it, and takes pictures.
 * @param {Browser} browser
 * @param {Served} served
 * @param {(page: Page) => Promise<Readonly<Record<string, View>>>} viewsIn
 */
async function walkPages(browser, served, viewsIn) {
  const opened = await openConsole(browser, served);
  const { page } = opened;
  for (const [name, { address, ready, state = "data" }] of Object.entries(await viewsIn(page))) {
    opened.faults.length = 0;
    /** @param {string} what */
    const fault = (what) => faults.push(`${name}: ${what}`);
    try {
      for (const look of LOOKS) {
        if (look !== "dark") {
          await page.setViewportSize(look === "phone" ? PHONE : WIDE);
          await page.emulateMedia({ colorScheme: "light" });
          await page.goto(`${served.url}/console/${address}`);
          await ready(page);
        } else await page.emulateMedia({ colorScheme: "dark" });
        if (values.screenshots)
          await page.screenshot({ path: join(values.screenshots, `${name}-${look}.png`) });
        const width = Number(await page.evaluate("document.documentElement.scrollWidth"));
        const most = look === "phone" ? PHONE.width : WIDE.width;
        if (width > most) fault(`${look}: ${width} px wide`);
        if (look !== "phone") for (const each of await violations(page)) fault(`${look}: ${each}`);
      }
    } catch (error) {
      fault(String(error).split("\n")[0]);
      if (values.screenshots) await page.screenshot({ path: join(values.screenshots, `${name}-failed.png`) });
    }
    for (const each of opened.faults) if (state !== "error" || !/status of 4\d\d/.test(each)) fault(each);
    say(`${name.padEnd(22)} ${state}`);
  }
  await opened.context.close();
}

/**
 * @param {Browser} browser
 * @param {Served & { readonly apiKey: string }} served
 */
async function walkWithKeyboard(browser, served) {
  const { page, context, faults: found } = await openConsole(browser, served);
  const key = await walkByKeyboard(page, served.url, await heldOf(page, values.query));
  // The made key works, which gives the usage something to show.
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const body = JSON.stringify({ query: values.query, freshness: "90d", format: "records" });
  const answer = await fetch(`${served.url}/v1/search`, { method: "POST", headers, body });
  if (answer.status !== 200) faults.push(`keyboard: the made key is answered by ${answer.status}`);
  for (const each of found) faults.push(`keyboard: ${each}`);
  say("with a keyboard alone: made a key, searched, opened a comment tree, ran a query");
  await context.close();
}

/**
 * @template T
 * @param {string} lake
 * @param {(served: Awaited<ReturnType<typeof startServerProcess>>) => Promise<T>} work
 * @param {readonly string[]} [options]
 * @returns {Promise<T>}
 */
async function withServer(lake, work, options = []) {
  const served = await startServerProcess(lake, process.execPath, { modules: [WATCH], options });
  try {
    return await work(served);
  } finally {
    await served.stop();
    if (served.errors() !== "") faults.push(`the server said: ${served.errors()}`);
  }
}

async function main() {
  if (!HAS_BROWSER) throw new Error("there is no Chromium: install it, or name it in CHROMIUM");
  if (!existsSync(values.lake)) throw new Error(`${values.lake} is no lake: npm run real-lake makes one`);
  if (values.screenshots) await mkdir(values.screenshots, { recursive: true });
  const load = () => (process.platform === "linux" ? readFileSync("/proc/loadavg", "utf8").slice(0, 14) : "");
  const began = load();
  const lake = await lakeOfTheWalk(values.lake, Number(values.records), resolve(values.data));
  /** @type {Figure[]} */
  const figures = [];
  const browser = await launchBrowser();
  try {
    await withServer(lake, async (served) => {
      // First, so that keys and usage have something to show.
      if (only.has("keyboard")) await walkWithKeyboard(browser, served);
      if (only.has("pages"))
        await walkPages(browser, served, async (page) => viewsOf(await heldOf(page, values.query)));
      if (only.has("times")) figures.push(...(await measurePages(browser, served, rounds, values.query)));
    });
    if (only.has("pages"))
      await withServer(lake, (served) => walkPages(browser, served, async () => READ_ONLY_VIEWS), [
        "--read-only",
      ]);
    if (only.has("times"))
      for (let round = 0; round < rounds; round++)
        figures.push(...(await withServer(lake, (served) => measureLoop(served))));
  } finally {
    await browser.close();
  }
  const all = merged(figures);
  const missed = all.filter((figure) => summary(figure).missed);
  if (values.json) {
    const rows = all.map((figure) => ({ ...figure, ...summary(figure) }));
    console.log(JSON.stringify({ lake, load: [began, load()], faults, figures: rows }));
  } else {
    if (all.length > 0) console.log(`\n${table(all)}`);
    console.log(`\n${lake}; load of the machine ${began} before, ${load()} after`);
    console.log(faults.length === 0 ? "no fault" : `${faults.length} faults:\n${faults.join("\n")}`);
  }
  process.exitCode = faults.length + missed.length > 0 ? 1 : 0;
}

await main();
