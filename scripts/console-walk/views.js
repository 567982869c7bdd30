/** @import { Page } from "playwright-core" */

/**
 * What a lake holds that views can show.
 * @typedef {object} Held
 * @property {string} query words that find something
 * @property {string} tree parameters of a call that gives comments with replies, as in the console's address
 * @property {string} prices parameters of a call that gives a price path
 */

/**
 * A view of the console: its address, what shows that it is there, and what is done in it. An error is answered by a status of
 * 400, which browsers log.
 * @typedef {object} View
 * @property {string} address
 * @property {(page: Page) => Promise<unknown>} ready
 * @property {"data" | "empty" | "error"} [state]
 */

/** @param {string} text */
const sql = (text) => `sql?query=${encodeURIComponent(text)}`;
/** @param {string} name */
const heading = (name) => (/** @type {Page} */ page) => page.getByRole("heading", { name }).waitFor();
/** @param {string | RegExp} words */
const text = (words) => (/** @type {Page} */ page) => page.getByText(words).first().waitFor();
/** @param {string} selector */
const drawn = (selector) => (/** @type {Page} */ page) =>
  // A line that is level has no height, so it counts as hidden.
  page.locator(selector).first().waitFor({ state: "attached", timeout: 60_000 });

/**
 * Every view: each tab with data, without and refused.
 * @param {Held} held
 * @returns {Readonly<Record<string, View>>}
 */
export function viewsOf({ query, tree, prices }) {
  const words = encodeURIComponent(query);
  return {
    search: { address: "search", ready: (page) => page.getByRole("article").first().waitFor() },
    "search-found": { address: `search?query=${words}`, ready: text(/found by/) },
    "search-open": {
      address: `search?query=${words}`,
      ready: async (page) => {
        await page.getByText("Copy the call").click();
        await page.getByText("Provenance and fields").first().click();
        await page.getByText("prov.hash").first().waitFor();
      },
    },
    "search-nothing": {
      address: "search?query=x&platforms=nowhere",
      ready: text("The filters leave no record"),
      state: "empty",
    },
    "search-refused": {
      address: "search?freshness=often",
      ready: (page) => page.getByRole("alert").first().waitFor(),
      state: "error",
    },
    raw: {
      address: "raw?id=raw.short-video.comments",
      ready: (page) => page.getByLabel("item_id (required)").waitFor(),
      state: "empty",
    },
    "raw-comments": {
      address: `raw?${tree}`,
      ready: async (page) => {
        await page
          .getByRole("button", { name: /^Unfold/ })
          .first()
          .click();
        await page.locator(".comments .comments article").first().waitFor();
      },
    },
    "raw-tree": {
      address: `raw?${tree}`,
      ready: async (page) => {
        await page.getByRole("button", { name: "Tree", exact: true }).click();
        await page.locator(".tree details").first().waitFor();
      },
    },
    "raw-prices": { address: `raw?${prices}`, ready: drawn("path.line") },
    "raw-trend": {
      address: "raw?id=raw.global-news.trend&run=1",
      ready: drawn(".chart rect"),
    },
    "raw-nothing": {
      address: "raw?id=raw.short-video.comments&p.item_id=6900000000000000000&run=1",
      ready: text("The lake does not hold this"),
      state: "empty",
    },
    "raw-refused": {
      address: "raw?id=raw.short-video.comments&p.item_id=7&run=1",
      ready: text("invalid_params"),
      state: "error",
    },
    datasets: { address: "datasets", ready: heading("Coverage of fields") },
    "datasets-slices": {
      address: "datasets?view=slices",
      ready: (page) => page.getByRole("columnheader", { name: "Licence" }).waitFor(),
    },
    "datasets-slices-none": {
      address: "datasets?view=slices&platform=nowhere",
      ready: text("No slice fits"),
      state: "empty",
    },
    "datasets-map": { address: "datasets?view=map", ready: drawn("circle") },
    "datasets-keep": {
      address: "datasets?view=keep",
      ready: async (page) => {
        await page.getByRole("button", { name: "Doctor" }).click();
        await page.getByText("Diagnose the lake: done").waitFor({ timeout: 60_000 });
      },
    },
    "datasets-failed": {
      address: "datasets?view=keep",
      ready: async (page) => {
        await page.getByLabel("Address or folder").fill("/nowhere/slices");
        await page.getByRole("button", { name: "Pull and install" }).click();
        await page.getByText("source_not_found").waitFor();
      },
      state: "error",
    },
    "datasets-removals": {
      address: "datasets?view=removals",
      ready: text("Nothing was removed"),
      state: "empty",
    },
    keys: { address: "keys", ready: heading("New key") },
    usage: { address: "usage", ready: text("Free calls left this month") },
    "usage-refused": {
      address: "usage",
      ready: async (page) => {
        await page.getByLabel("Amount, USD").fill("0");
        await page.getByRole("button", { name: "Top up" }).click();
        await page.getByRole("alert").first().waitFor();
      },
      state: "error",
    },
    endpoints: { address: "endpoints", ready: text(/ of \d+ endpoints/) },
    "endpoints-none": {
      address: "endpoints?q=nothing+like+it",
      ready: text("No endpoint fits the filter"),
      state: "empty",
    },
    sql: {
      address: sql("SELECT platform, lang, count(*) AS records FROM records GROUP BY ALL ORDER BY ALL"),
      ready: (page) =>
        page.getByRole("region", { name: "Rows of the result" }).getByRole("row").nth(2).waitFor(),
    },
    "sql-wide": {
      address: sql("SELECT * FROM records ORDER BY captured_at DESC LIMIT 500"),
      ready: (page) =>
        page.getByRole("region", { name: "Rows of the result" }).getByRole("row").nth(2).waitFor(),
    },
    "sql-chart": {
      address: `${sql("SELECT platform, count(*) AS records FROM records GROUP BY ALL ORDER BY records DESC")}&show=chart`,
      ready: drawn("svg.drawn rect"),
    },
    "sql-line": {
      address: `${sql("SELECT strftime(captured_at, '%Y-%m-%d') AS day, src, count(*) AS records FROM records GROUP BY ALL ORDER BY ALL")}&show=chart&x=day&y=records&color=src&mark=line`,
      ready: drawn("svg.drawn path"),
    },
    "sql-nothing": {
      address: sql("SELECT 1 WHERE false"),
      ready: text("The query found no row"),
      state: "empty",
    },
    "sql-refused": {
      address: sql("SELECT nothing FROM records"),
      ready: (page) => page.getByRole("alert").first().waitFor(),
      state: "error",
    },
  };
}

/** Views of a server that was just started on a lake that may only be read: without keys, calls and pulls. @type {Readonly<Record<string, View>>} */
export const READ_ONLY_VIEWS = {
  "keys-none": { address: "keys", ready: text("No key yet"), state: "empty" },
  "usage-none": { address: "usage", ready: text("No call was made in this time"), state: "empty" },
  "datasets-read-only": {
    address: "datasets?view=keep",
    ready: (page) => page.getByRole("button", { name: "Doctor" }).waitFor(),
    state: "empty",
  },
};

/**
 * Asks the console of an open page what its lake holds.
 * @param {Page} page
 * @param {string} query words that find something
 * @returns {Promise<Held>}
 */
export async function heldOf(page, query) {
  /**
   * @param {string} path
   * @param {unknown} [body]
   * @returns {Promise<any>}
   */
  const ask = (path, body) =>
    page.evaluate(
      async ([to, sent]) => {
        const init = { method: "POST", headers: { "content-type": "application/json" }, body: sent };
        const answer = await fetch(`/console/api/${to}`, sent === "" ? undefined : init);
        return answer.json();
      },
      [path, body === undefined ? "" : JSON.stringify(body)],
    );
  const replied = await ask("sql", {
    text: "SELECT platform, item_id FROM comments WHERE reply_to IS NOT NULL GROUP BY ALL ORDER BY count(*) DESC, 1, 2 LIMIT 1",
  });
  const priced = await ask("sql", {
    text: "SELECT platform, product_id FROM prices GROUP BY ALL ORDER BY count(*) DESC, 1, 2 LIMIT 1",
  });
  /** @type {{ id: string; platform?: string; resource?: string; operation: string }[]} */
  const rows = await ask("endpoints");
  /**
   * @param {{ page: { rows: string[][] } }} found
   * @param {(row: typeof rows[number]) => boolean} fits
   */
  const call = async ({ page: { rows: answer } }, fits) => {
    const [platform, id] = answer[0] ?? [];
    const row = rows.find((each) => each.platform === platform && fits(each));
    if (row === undefined) throw new Error("the lake has no comments with replies, or no prices");
    const { params } = await ask(`endpoint?id=${row.id}`);
    return `id=${row.id}&p.${params.required[0]}=${encodeURIComponent(id)}&run=1`;
  };
  return {
    query,
    tree: await call(replied, ({ resource }) => resource === "comments"),
    prices: await call(priced, ({ operation }) => operation === "price-path"),
  };
}
