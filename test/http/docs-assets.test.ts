import { once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { startServer } from "mirrorlake";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningServer } from "../../src/http/server.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";

let lake: TestLake;
let server: RunningServer;

beforeAll(async () => {
  lake = await createTestLake();
  server = await startServer(lake.service);
});

afterAll(async () => {
  await server?.close();
  await lake?.close();
});

test.each([
  ["swagger-ui-bundle.js", "text/javascript; charset=utf-8", "SwaggerUIBundle"],
  ["swagger-ui.css", "text/css; charset=utf-8", ".swagger-ui"],
])("the built server has %s", async (name, type, content) => {
  const file = await fetch(`${server.url}/docs/${name}`);
  expect(file.status).toBe(200);
  expect(file.headers.get("content-type")).toBe(type);
  expect(await file.text()).toContain(content);
});

test("the page, its files and the document work under a path of a proxy", async () => {
  const proxy = createServer((request, response) => {
    const path = request.url?.replace(/^\/lake(?=\/)/, "");
    const onward = get(`${server.url}${path}`, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/lake/docs/`;
  const page = await fetch(address);
  expect(page.url).toBe(address.slice(0, -1));
  const html = await page.text();
  const files = [...html.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, file]) => file!);
  expect(files).toHaveLength(4);
  for (const file of files) expect((await fetch(new URL(file, page.url))).status, file).toBe(200);
  const started = await (await fetch(new URL("docs/start.js", page.url))).text();
  const document = await fetch(new URL(/"url":"([^"]+)"/.exec(started)![1]!, page.url));
  const { servers } = (await document.json()) as { servers: { url: string }[] };
  expect(new URL(servers[0]!.url, document.url).href).toBe(new URL(".", page.url).href);
  await promisify(proxy.close).call(proxy);
});
