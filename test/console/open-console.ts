import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { launchBrowser } from "../../scripts/console-walk/browser.js";
import { openLake } from "../../src/client/open-lake.js";
import { createConsole } from "../../src/console/console.js";
import { startServer } from "../../src/http/server.js";
import { temporarySampleLake } from "../support/sample-lake.js";

/** The browser app that the build made. */
const ASSETS = new URL("../../dist/console/app/", import.meta.url);

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

/** A served console and a browser, for the tests of a file. */
export interface OpenedConsole {
  readonly path: string;
  readonly served: ServedConsole;
  readonly browser: Browser;
}

/** Serves a lake's console for the tests of a file, the sample lake's by default. In the end nobody may have met an error. */
export function consoleForTests(
  make: () => Promise<{ readonly path: string; remove(): Promise<void> }> = temporarySampleLake,
): OpenedConsole {
  const opened: { -readonly [Part in keyof OpenedConsole]?: OpenedConsole[Part] } = {};
  let remove: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const lake = await make();
    remove = lake.remove;
    const [served, browser] = await Promise.all([serveConsole(lake.path), launchBrowser()]);
    Object.assign(opened, { path: lake.path, served, browser });
  });
  afterAll(async () => {
    await opened.browser?.close();
    expect(opened.served?.errors ?? []).toEqual([]);
    await opened.served?.close();
    await remove?.();
  });
  return opened as OpenedConsole;
}
