import { setTimeout as sleep } from "node:timers/promises";
import { openConsole } from "./browser.js";

/** @import { Browser, Page } from "playwright-core" */
/** @import { Figure } from "./figures.js" */

/** Longest time of a first paint and of a task, ms. */
const PAINT_MS = 1000;
const TASK_MS = 50;

/** Milliseconds between two keys, and two turns of the wheel. */
const KEY_MS = 30;

/** Rows of the result that is scrolled. */
const ROWS = 100_000;

/**
 * A server that is measured.
 * @typedef {{ readonly url: string; readonly token: string; readonly ask: (message: string) => Promise<unknown> }} Served
 */

/**
 * The longest task of the pages' main threads while something is done, by the browser's own trace: by the clock, and the time that the
 * processor worked for it.
 * @param {Browser} browser
 * @param {Page} page
 * @param {() => Promise<unknown>} work
 * @returns {Promise<{ wallMs: number; processorMs: number }>}
 */
async function longestTask(browser, page, work) {
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline", "__metadata"] });
  await work();
  /** @type {{ traceEvents: { name: string; pid: number; tid: number; dur?: number; tdur?: number; args?: { name?: string } }[] }} */
  const { traceEvents: events } = JSON.parse((await browser.stopTracing()).toString("utf8"));
  const main = new Set(
    events
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = events.filter(({ name, pid, tid }) => name === "RunTask" && main.has(`${pid} ${tid}`));
  if (tasks.length === 0) throw new Error("the trace has no task");
  /** @param {"dur" | "tdur"} of */
  const most = (of) => tasks.reduce((longest, task) => Math.max(longest, task[of] ?? 0), 0) / 1000;
  return { wallMs: most("dur"), processorMs: most("tdur") };
}

/**
 * Measures what a person waits for, each so many times.
 * @param {Browser} browser
 * @param {Served} served
 * @param {number} rounds
 * @param {string} query
 * @returns {Promise<readonly Figure[]>}
 */
export async function measurePages(browser, served, rounds, query) {
  const { page, context } = await openConsole(browser, served);
  const at = `${served.url}/console`;
  const figures = new Figures();
  await page.goto(`${at}/sql`);
  await page.getByRole("textbox", { name: "Query in SQL" }).waitFor();
  for (let round = 0; round < rounds; round++) {
    await page.goto(`${at}/search`);
    await page.getByRole("article").first().waitFor();
    const paint = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime");
    figures.add("first contentful paint", Number(paint), PAINT_MS);
    figures.add("first records shown", Number(await page.evaluate("performance.now()")), undefined);

    await page.goto(`${at}/search?query=${encodeURIComponent(query)}&limit=100`);
    await page.getByRole("article").nth(50).waitFor();
    await settled(page);
    figures.addTask(
      "typing on the search tab",
      await longestTask(browser, page, () =>
        page
          .getByRole("searchbox")
          .pressSequentially("wireless mouse with a long battery life", { delay: KEY_MS }),
      ),
    );

    await page.goto(`${at}/sql`);
    await page.getByRole("textbox", { name: "Query in SQL" }).click();
    await page.keyboard.press("Control+a");
    await settled(page);
    figures.addTask(
      "typing on the SQL tab",
      await longestTask(browser, page, () =>
        page.keyboard.type("SELECT platform, count(*) FROM records WHERE lang = 'en'", { delay: KEY_MS }),
      ),
    );

    const rows = `SELECT range AS i, 'row ' || range AS name, range * 7 % 1000 AS n FROM range(${ROWS})`;
    await page.goto(`${at}/sql?query=${encodeURIComponent(rows)}`);
    const grid = page.getByRole("region", { name: "Rows of the result" });
    await grid.getByText("row 0", { exact: true }).waitFor();
    await settled(page);
    await grid.hover();
    figures.addTask(
      `scrolling a result of ${ROWS.toLocaleString("en-US")} rows`,
      await longestTask(browser, page, async () => {
        for (let i = 0; i < 60; i++) {
          await page.mouse.wheel(0, 700);
          await sleep(KEY_MS);
        }
      }),
    );
    const jumped = performance.now();
    await grid.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await grid.getByText(`row ${ROWS - 1}`, { exact: true }).waitFor();
    figures.add("its last row shown after a jump", performance.now() - jumped, undefined);
  }
  await context.close();
  return figures.list();
}

/**
 * Measures how long a server's event loop is held by what computes over the whole lake. Each is asked of a server that was just started,
 * since it keeps what it computed.
 * @param {Served} served
 * @returns {Promise<readonly Figure[]>}
 */
export async function measureLoop({ url, token, ask }) {
  const figures = new Figures();
  const opened = await fetch(`${url}/console/api/session`, {
    method: "POST",
    headers: { origin: url, "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  const cookie = String(opened.headers.get("set-cookie")).split(";")[0];
  for (const [path, name] of /** @type {const} */ ([
    ["statistics", "the statistics"],
    ["map", "the map of vectors"],
    ["facets", "the counts of the filters"],
  ])) {
    await ask("start");
    const started = performance.now();
    const answer = await fetch(`${url}/console/api/${path}`, { headers: { cookie } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await answer.text();
    figures.add(`${name}: time of the answer`, performance.now() - started, undefined);
    figures.addTask(
      `${name}: loop held`,
      /** @type {{ wallMs: number; processorMs: number }} */ (await ask("read")),
    );
  }
  return figures.list();
}

/** Waits until a page has nothing more to do. @param {Page} page */
async function settled(page) {
  await page.waitForLoadState("networkidle");
  await page.evaluate("new Promise((done) => requestIdleCallback(done, { timeout: 5000 }))");
}

/** Figures by name, in the order in which they first came. */
class Figures {
  /** @type {Map<string, { name: string; target?: number; values: number[]; judged: "median" | "worst" }>} */
  figures = new Map();

  /**
   * @param {string} name
   * @param {number} value ms
   * @param {number | undefined} target
   * @param {"median" | "worst"} [judged]
   */
  add(name, value, target, judged = "median") {
    const figure = this.figures.get(name) ?? { name, target, values: [], judged };
    figure.values.push(value);
    this.figures.set(name, figure);
  }

  /**
   * The clock's time hangs on what else the machine does, so its median is judged; the processor's time does not, and its worst is.
   * @param {string} name
   * @param {{ wallMs: number; processorMs: number }} times
   */
  addTask(name, { wallMs, processorMs }) {
    this.add(name, wallMs, TASK_MS);
    if (!Number.isNaN(processorMs)) this.add(`${name}, processor`, processorMs, TASK_MS, "worst");
  }

  /** @returns {readonly Figure[]} */
  list() {
    return [...this.figures.values()];
  }
}
