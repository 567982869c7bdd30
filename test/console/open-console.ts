import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { openLake } from "../../src/client/open-lake.js";
import { createConsole } from "../../src/console/console.js";
import { startServer } from "../../src/http/server.js";

/** The browser app that the build made. */
const ASSETS = new URL("../../dist/console/app/", import.meta.url);

/** Debian's Chromium, or another by its path. */
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Whether there is a browser to test in; `.ci/run` installs it. */
export const HAS_BROWSER = existsSync(CHROMIUM);

/** A served console. */
export interface ServedConsole {
  /** Address of the server, without a slash at the end. */
  readonly url: string;
  readonly token: string;
  /** Errors that nobody expected. */
  readonly errors: readonly unknown[];
  close(): Promise<void>;
}

/** Serves the console of a lake on a free port. */
export async function serveConsole(path: string): Promise<ServedConsole> {
  if (!existsSync(ASSETS)) throw new Error("build first: npm run compile");
  const lake = await openLake(path, { durability: "relaxed" });
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const webConsole = createConsole({ lake, version: "0.0.0", assets: ASSETS, onError });
  const server = await startServer(lake.service, { console: webConsole.fetch, onError });
  return {
    url: server.url,
    token: webConsole.token,
    errors,
    close: async () => {
      await webConsole.close();
      await server.close(100);
      await lake.close();
    },
  };
}

/** Starts the browser: one a file. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
}

/** A page that is watched: what it logs as an error, throws, or asks of anybody but its server. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly faults: string[];
}

/** Opens a page in a context of its own. */
export async function openPage(
  browser: Browser,
  url: string,
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
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

/** Opens a page and its session: the address that `serve` prints. */
export async function openConsole(
  browser: Browser,
  served: ServedConsole,
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<WatchedPage> {
  const watched = await openPage(browser, served.url, options);
  await watched.page.goto(`${served.url}/#token=${served.token}`);
  await watched.page.getByRole("heading", { level: 1, name: "Search" }).waitFor();
  return watched;
}
