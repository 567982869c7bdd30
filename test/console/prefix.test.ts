import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HAS_BROWSER, openConsole, openPage } from "../../scripts/console-walk/browser.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { consoleForTests } from "./open-console.js";

/** A reverse proxy that has a server under a path of its own, which it takes off. */
async function proxyUnder(prefix: string, to: () => string, keepHost: boolean): Promise<Server> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url = "/" } = incoming;
    if (!url.startsWith(`${prefix}/`)) {
      outgoing.writeHead(404).end("not of the proxy");
      return;
    }
    const target = new URL(to());
    const { hostname, port, host } = target;
    const path = url.slice(prefix.length);
    const sent = { ...headers, host: keepHost ? headers.host : host };
    const passed = httpRequest({ hostname, port, method, path, headers: sent }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return proxy;
}

describe.skipIf(!HAS_BROWSER)("the console under a path of a proxy", () => {
  const opened = consoleForTests();
  // One of these is the console's own name, which the address must not be read by.
  describe.each([
    ["/lake", true],
    ["/data/console", false],
  ] as const)("%s (host passed on: %s)", (prefix, keepHost) => {
    let proxy: Server;
    let url = "";
    beforeAll(async () => {
      proxy = await proxyUnder(prefix, () => opened.served.url, keepHost);
      url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`;
    });
    afterAll(() => {
      proxy.closeAllConnections();
      proxy.close();
    });

    test("opens, and every view is there", { tags: "slow" }, async () => {
      const { page, faults, context } = await openConsole(opened.browser, {
        url,
        token: opened.served.token,
      });
      expect(page.url()).toBe(`${url}/console/search`);
      for (const name of ["Raw data", "Datasets", "API keys", "Usage", "Endpoints", "SQL", "Search"]) {
        await page.getByRole("navigation").getByRole("link", { name }).click();
        await page.getByRole("heading", { level: 1, name }).waitFor();
        expect(page.url().startsWith(`${url}/console/`), page.url()).toBe(true);
      }
      await page.getByRole("searchbox").fill(SAMPLES.query);
      await page.keyboard.press("Enter");
      await page
        .getByText(/found by/)
        .first()
        .waitFor();
      await page.getByText("Copy the call").click();
      await page.getByRole("button", { name: "curl" }).click();
      await page.getByText(`curl ${url}/v1/search`).waitFor();
      await page.reload();
      await page
        .getByText(/found by/)
        .first()
        .waitFor();
      expect(faults).toEqual([]);
      await context.close();
    });

    test("asks for the token at the address of a view, and loads, changes and downloads what it should", {
      tags: "slow",
    }, async () => {
      const { page, faults, context } = await openPage(opened.browser, url);
      await page.goto(`${url}/console/sql/?query=SELECT%201%20AS%20one`);
      await page.getByLabel("Token").fill(opened.served.token);
      await page.getByRole("button", { name: "Open the console" }).click();
      await page.getByRole("heading", { level: 1, name: "SQL" }).waitFor();
      await page.getByRole("region", { name: "Rows of the result" }).getByText("one").waitFor();
      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: "CSV" }).click();
      expect((await download).url()).toContain(`${url}/console/api/sql/file`);
      await page.goto(`${url}/console/keys`);
      await page.getByLabel("Name", { exact: true }).fill("proxied");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Revoke proxied" }).first().waitFor();
      await page.goto(`${url}/console/endpoints`);
      // The first question without a session is refused, which the browser logs.
      expect(faults.filter((fault) => !fault.includes("401"))).toEqual([]);
      await page.getByRole("link", { name: "API documentation" }).click();
      await page.waitForURL(`${url}/docs`);
      await context.close();
    });
  });
});
