import { once } from "node:events";
import { createServer, get, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { startServer } from "mirrorlake";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { createConsole } from "../../src/console/console.js";
import type { RunningServer } from "../../src/http/server.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

let folder: TemporaryLake;
let lake: LakeClient;
let server: RunningServer;

beforeAll(async () => {
  folder = await temporarySampleLake();
  lake = await openLake(folder.path, { account: "memory", readOnly: true });
  const assets = new URL("../../dist/console/app/", import.meta.url);
  server = await startServer(lake.service, {
    console: createConsole({ lake, version: "0.0.0", assets }).fetch,
  });
});

afterAll(async () => {
  await server?.close();
  await lake?.close();
  await folder?.remove();
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

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Asks as a browser does; `fetch` would decompress what comes. */
async function ask(path: string, headers: Record<string, string>, method = "GET"): Promise<Answer> {
  const asked = request(`${server.url}${path}`, { method, headers }).end();
  const [answer] = await once(asked, "response");
  const body = Buffer.concat(await answer.toArray());
  return { status: answer.statusCode, headers: answer.headers, body };
}

const script = async () =>
  /console\/assets\/index-[\w-]+\.js/.exec((await ask("/console/search", {})).body.toString())![0];

test.each([
  ["of the console", async () => `/${await script()}`],
  ["of /docs", async () => "/docs/swagger-ui.css"],
])(
  "a file %s comes compressed to who takes it, whole and with the same header fields for HEAD",
  async (_, pathOf) => {
    const path = await pathOf();
    const plain = await ask(path, {});
    expect(plain.headers["content-encoding"]).toBe(undefined);
    const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const [accepted, encoding] of [
      ["gzip, deflate, br, zstd", "br"],
      ["gzip, deflate", "gzip"],
      ["br;q=0.5, gzip;q=0.8", "gzip"],
      ["br;q=0, *", "gzip"],
      ["GZIP", "gzip"],
    ] as const) {
      const range = { range: "bytes=0-9" };
      for (const more of [{}, range]) {
        const answer = await ask(path, { "accept-encoding": accepted, ...more });
        expect(answer.headers).toMatchObject({ "content-encoding": encoding, vary: "Accept-Encoding" });
        expect([answer.status, answer.headers.etag]).toEqual([200, undefined]);
        expect(answer.headers["content-length"]).toBe(String(answer.body.length));
        expect(answer.body.length).toBeLessThan(plain.body.length / 2);
        expect(decoders[encoding](answer.body).equals(plain.body)).toBe(true);
      }
      const head = await ask(path, { "accept-encoding": accepted }, "HEAD");
      const { date: _date, ...fields } = head.headers;
      const { date: _dateOfGet, ...same } = (await ask(path, { "accept-encoding": accepted })).headers;
      expect([fields, head.body.length]).toEqual([same, 0]);
    }
    for (const accepted of ["identity", "br;q=0, gzip;q=0", "deflate", "identity, gzip;q=0.5", ""]) {
      const answer = await ask(path, { "accept-encoding": accepted });
      expect(answer.headers["content-encoding"], accepted).toBe(undefined);
      expect(answer.headers.vary).toBe("Accept-Encoding");
      expect(answer.body.equals(plain.body)).toBe(true);
    }
  },
);

test("what is made for each request is not compressed", async () => {
  for (const path of ["/console/search", "/docs", "/openapi.json"]) {
    const { headers } = await ask(path, { "accept-encoding": "br, gzip" });
    expect(headers["content-encoding"], path).toBe(undefined);
  }
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
