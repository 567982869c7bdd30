import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { SAMPLE_CALLS } from "../../src/conformance/sample/sample-calls.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { FaultInjector } from "../../src/faults/fault-injector.js";
import { INJECTED_CODES } from "../../src/faults/fault-plan.js";
import { type RunningServer, startServer } from "../../src/http/server.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

/** Header fields of HTTP itself, which a description of an API does not declare (OpenAPI 3.1.1 section 4.8.17 leaves out Content-Type). */
const OF_HTTP = new Set([
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "x-content-type-options",
]);

interface Ref {
  readonly $ref: string;
}
interface Response {
  readonly headers?: Readonly<Record<string, Ref>>;
}
interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Response | Ref>> }>>>
  >;
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly headers: Readonly<Record<string, { readonly required?: boolean; readonly schema: unknown }>>;
  };
}

let folder: TemporaryLake;
let lake: LakeClient;
let server: RunningServer;
let document: Document;
const faults = new FaultInjector([]);

beforeAll(async () => {
  folder = await temporarySampleLake();
  lake = await openLake(folder.path, { limits: "off", account: "memory", faults });
  server = await startServer(lake.service);
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
});
afterAll(async () => {
  await server?.close();
  await lake?.close();
  await folder?.remove();
});

/** The headers that the document declares for a status of an operation, with whether each is always sent. */
function declared(path: string, method: string, status: number): Map<string, boolean> {
  const stated = document.paths[path]![method.toLowerCase()]!.responses[status]!;
  const response = "$ref" in stated ? document.components.responses[last(stated)]! : stated;
  return new Map(
    Object.entries(response.headers ?? {}).map(([name, header]) => {
      expect(last(header)).toBe(name);
      return [name.toLowerCase(), document.components.headers[name]!.required ?? false];
    }),
  );
}

function last({ $ref }: Ref): string {
  return $ref.split("/").at(-1)!;
}

/** Sends a call, and compares the headers of its answer with the document's. */
async function compared(
  id: string,
  params: object,
  { base = server.url, apiKey = lake.apiKey }: { base?: string; apiKey?: string | undefined } = {},
): Promise<{ readonly status: number; readonly sent: readonly string[] }> {
  const { path, method } = CATALOGUE.find((row) => row.id === id)!;
  const headers: Record<string, string> = { "content-type": "application/json", "x-api-key": apiKey };
  const query = Object.entries(params).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  const answer = await (method === "GET"
    ? fetch(`${base}${path}?${new URLSearchParams(query)}`, { headers })
    : fetch(`${base}${path}`, { method, headers, body: JSON.stringify(params) }));
  await answer.arrayBuffer();
  const known = declared(path, method, answer.status);
  const sent = [...answer.headers.keys()].filter((name) => !OF_HTTP.has(name));
  const what = `${id} ${answer.status}`;
  expect(
    sent.filter((name) => !known.has(name)),
    `${what}: sent and not declared`,
  ).toEqual([]);
  const always = [...known].filter(([, required]) => required).map(([name]) => name);
  expect(
    always.filter((name) => !sent.includes(name)),
    `${what}: declared as always sent, and not sent`,
  ).toEqual([]);
  return { status: answer.status, sent };
}

describe("the document declares the headers", () => {
  test.each(SAMPLE_CALLS.map((call) => [call.id, call] as const))("of %s", async (id, call) => {
    faults.set([]);
    await compared(id, call.success);
    if (call.empty !== undefined) expect((await compared(id, call.empty)).status).toBe(200);
    expect((await compared(id, call.bad.params)).status).toBe(400);
    expect((await compared(id, call.success, { apiKey: "wrong" })).status).toBe(401);
  });

  test("that say more than the answer does", async () => {
    const own = await createTestLake({
      records: [{ platform: "short-video", lang: "en", text: "Hiking boots that survive rain" }],
      raw: [
        {
          platform: "short-video",
          resource: "comment",
          id: "c1",
          parent: "7301234567890123456",
          lang: "en",
          created_at: "2026-01-01T00:00:00Z",
          data: { cid: "c1", text: "a comment" },
        },
      ],
    });
    const at = { base: (await own.serve()).url, apiKey: own.apiKey };
    try {
      const found = await compared("search", { query: "boots", platforms: ["short-video", "foram"] }, at);
      expect(found.sent).toEqual(
        expect.arrayContaining([
          "x-mirrorlake-embedder",
          "x-mirrorlake-hint",
          "x-mirrorlake-search-mode",
          "x-service-balance",
          "x-service-charged",
        ]),
      );
      const comments = await compared("raw.short-video.comments", { item_id: "7301234567890123456" }, at);
      expect(comments.sent).toContain("x-mirrorlake-unknown");
    } finally {
      await own.close();
    }
  });

  test.each(Object.keys(INJECTED_CODES).map(Number) as (keyof typeof INJECTED_CODES)[])(
    "of a %i",
    async (status) => {
      faults.set([{ fault: "status", status, at: 1 }]);
      const { success } = SAMPLE_CALLS.find(({ id }) => id === "search")!;
      const { sent, ...answer } = await compared("search", success);
      expect(answer.status).toBe(status);
      expect(sent).toContain("x-request-id");
      if (status === 429) expect(sent).toContain("retry-after");
    },
  );

  test("of a method that a path does not take, and of a path that there is not", async () => {
    const headers = { "x-api-key": lake.apiKey };
    const put = await fetch(`${server.url}/v1/search`, { method: "PUT", headers });
    const unknown = await fetch(`${server.url}/v1/serch`, { headers });
    for (const answer of [put, unknown]) {
      await answer.arrayBuffer();
      const known = declared("/v1/search", "post", answer.status);
      const sent = [...answer.headers.keys()].filter((name) => !OF_HTTP.has(name));
      expect(sent.filter((name) => !known.has(name))).toEqual([]);
    }
    expect([...put.headers.keys()]).toContain("allow");
    expect([...unknown.headers.keys()]).toContain("x-mirrorlake-hint");
  });
});
