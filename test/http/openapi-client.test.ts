import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Document, type OpenAPIClient, OpenAPIClientAxios } from "openapi-client-axios";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { SAMPLE_CALLS } from "../../src/conformance/sample/sample-calls.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { operationId } from "../../src/contract/service/openapi/operation.js";
import { type RunningServer, startServer } from "../../src/http/server.js";
import { copySampleLake } from "../support/sample-lake.js";

let dir: string;
let lake: LakeClient;
let server: RunningServer;
let client: OpenAPIClient;
let document: Document;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-openapi-"));
  lake = await openLake(await copySampleLake(dir), { limits: "off", account: "memory" });
  server = await startServer(lake.service);
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
  const api = new OpenAPIClientAxios({
    definition: document,
    withServer: { url: server.url },
    axiosConfigDefaults: {
      headers: { "x-api-key": lake.apiKey },
      paramsSerializer: { indexes: null },
      validateStatus: () => true,
    },
  });
  client = await api.init();
});

afterAll(async () => {
  await server?.close();
  await lake?.close();
  await rm(dir, { recursive: true, force: true });
});

describe("a client that knows the document alone", () => {
  test.each(
    SAMPLE_CALLS.filter(({ id }) => !id.startsWith("account.keys")).map((call) => [call.id, call] as const),
  )("calls %s", async (id, { success, bad }) => {
    const row = CATALOGUE.find((endpoint) => endpoint.id === id)!;
    const call = async (params: object) => {
      const operation = client[operationId(id)]!;
      const query = Object.entries(params).map(([name, value]) => ({ name, value, in: "query" as const }));
      return row.method === "GET" ? operation(query) : operation(undefined, params);
    };
    const answer = await call(success);
    expect(answer.status, JSON.stringify(answer.data)).toBe(200);
    expect(answer.data.meta.empty).toBe(false);
    expect(answer.headers["x-request-id"]).toBe(answer.data.request_id);
    const data = row.data.safeParse(answer.data.data);
    expect(data.error).toBeUndefined();
    expect(await call(bad.params)).toMatchObject({
      status: 400,
      data: { error: { code: "invalid_params" } },
    });
  });

  test("is told the price that it then pays", async () => {
    const operation = document.paths!["/v1/raw/short-video/comments"]!.get as unknown as Record<
      string,
      unknown
    >;
    const { data } = await client.raw_short_video_comments!([
      { name: "item_id", value: "7301234567890123456", in: "query" },
    ]);
    expect(data.meta.charged_usd).toBe(operation["x-price-usd"]);
  });
});

describe("/docs", () => {
  test("is a page that loads only its own files", async () => {
    const page = await fetch(`${server.url}/docs`);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const html = await page.text();
    expect(html).not.toMatch(/https?:\/\//);
    const files = [...html.matchAll(/<(?:script|link)[^>]*(?:src|href)="(?!data:)([^"]+)"/g)].map(
      ([, path]) => new URL(path!, page.url).pathname,
    );
    expect(files).toEqual(["/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js", "/docs/start.js"]);
    const start = await (await fetch(`${server.url}/docs/start.js`)).text();
    const [, document] = /"url":"([^"]+)"/.exec(start)!;
    expect(new URL(document!, page.url).pathname).toBe("/openapi.json");
  });

  test("it and the document are read, by GET and HEAD", async () => {
    for (const path of ["/docs", "/docs/start.js", "/openapi.json"]) {
      const answer = await fetch(`${server.url}${path}`, { method: "POST", body: "x" });
      expect([answer.status, answer.headers.get("allow"), await answer.json()]).toEqual([
        405,
        "GET, HEAD",
        { detail: "Method Not Allowed" },
      ]);
      const head = await fetch(`${server.url}${path}`, { method: "HEAD" });
      expect([head.status, await head.text()]).toEqual([200, ""]);
    }
  });

  test("a browser that has them asks whether they changed, and gets no body", async () => {
    for (const path of ["/docs", "/docs/start.js", "/openapi.json"]) {
      const whole = await fetch(`${server.url}${path}`);
      const tag = whole.headers.get("etag");
      expect(tag, path).toMatch(/^"[0-9a-f]{40}"$/);
      expect(whole.headers.get("cache-control"), path).toBe("no-cache");
      expect((await whole.arrayBuffer()).byteLength).toBeGreaterThan(0);
      const again = await fetch(`${server.url}${path}`, { headers: { "If-None-Match": tag! } });
      expect([again.status, again.headers.get("etag"), await again.text()], path).toEqual([304, tag, ""]);
      expect(again.headers.get("content-security-policy")).toContain("default-src 'none'");
      const other = await fetch(`${server.url}${path}`, { headers: { "If-None-Match": '"other"' } });
      expect([other.status, (await other.arrayBuffer()).byteLength > 0], path).toEqual([200, true]);
      const head = await fetch(`${server.url}${path}`, { method: "HEAD" });
      expect([head.status, head.headers.get("etag")], path).toEqual([200, tag]);
    }
  });

  test("nothing else is served", async () => {
    for (const path of [
      "/docs/LICENSE",
      "/docs/..%2fserver.js",
      "/docs/../../package.json",
      "/docs-ui/swagger-ui.css",
    ]) {
      expect((await fetch(`${server.url}${path}`)).status, path).toBe(404);
    }
  });
});
