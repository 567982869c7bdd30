import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { type RunningServer, startServer } from "../../src/http/server.js";
import { createMcpEndpoint, type McpEndpoint } from "../../src/mcp/http-endpoint.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

let folder: TemporaryLake;
let lake: LakeClient;
let endpoint: McpEndpoint;
let server: RunningServer;
/** Queries that wait until they are cancelled: those that began, and those that ended. */
let begun: string[] = [];
let ended: string[] = [];

beforeAll(async () => {
  folder = await temporarySampleLake();
  lake = await openLake(folder.path, { limits: "off" });
  const { service, account } = lake;
  endpoint = createMcpEndpoint({
    version: "0.0.0",
    service,
    account,
    sqlStream: async function* (query: string, _params: unknown, { signal }: { signal: AbortSignal }) {
      begun.push(query);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      ended.push(query);
      signal.throwIfAborted();
    } as never,
    onError: () => {},
  });
  server = await startServer(service, { mcp: endpoint.fetch });
});

beforeEach(() => {
  begun = [];
  ended = [];
});

afterAll(async () => {
  await endpoint.close();
  await server.close(0);
  await lake.close();
  await folder.remove();
});

/** Sends a body as it is. */
function post(body: unknown, headers: Readonly<Record<string, string>> = {}, signal?: AbortSignal) {
  return fetch(`${server.url}/mcp`, {
    method: "POST",
    signal: signal ?? null,
    headers: {
      "x-api-key": lake.apiKey,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

/** Begins a session, and returns the headers of its requests. */
async function begin(): Promise<Readonly<Record<string, string>>> {
  const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const response = await post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  expect(await response.text()).toContain('"protocolVersion":"2025-03-26"');
  return { "mcp-session-id": response.headers.get("mcp-session-id")! };
}

const request = (id: number, method: string, params: object = {}) => ({ jsonrpc: "2.0", id, method, params });
const query = (id: number, text: string) =>
  request(id, "tools/call", { name: "query_sql", arguments: { query: text } });
const cancelled = (requestId: number) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});

/** The answers of a stream, by their ids. */
async function answersOf(response: Response) {
  const text = await response.text();
  const answers = [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!));
  return answers.sort((one, other) => one.id - other.id);
}

describe("a batch of a version that has batches", () => {
  test("gets the answer to each of its requests", async () => {
    for (const headers of [{}, { "mcp-protocol-version": "2025-03-26" }] as Record<string, string>[]) {
      const response = await post(
        [
          request(1, "tools/list"),
          { jsonrpc: "2.0", method: "notifications/initialized" },
          request(2, "tools/call", { name: "search", arguments: { query: "mouse" } }),
          request(3, "no/such"),
        ],
        headers,
      );
      expect(response.status).toBe(200);
      expect(await answersOf(response)).toMatchObject([
        { id: 1, result: { tools: expect.any(Array) } },
        { id: 2, result: { content: expect.any(Array) } },
        { id: 3, error: { code: -32601 } },
      ]);
    }
  });

  test("of notifications alone is accepted, and cancels what they name", async () => {
    const session = await begin();
    const running = await post(query(1, "SELECT 1"), session);
    await expect.poll(() => begun).toEqual(["SELECT 1"]);
    const response = await post([cancelled(7), cancelled(1)], session);
    expect([response.status, await response.text()]).toEqual([202, ""]);
    expect(await answersOf(running)).toEqual([]);
    expect(ended).toEqual(["SELECT 1"]);
  });

  test("has calls that are cancelled one by one, and ends with the last", async () => {
    const session = await begin();
    const batch = await post(
      [query(1, "SELECT 1"), query(2, "SELECT 2"), request(3, "prompts/list")],
      session,
    );
    await expect.poll(() => begun).toEqual(["SELECT 1", "SELECT 2"]);
    await post(cancelled(1), session);
    await expect.poll(() => ended).toEqual(["SELECT 1"]);
    await post([cancelled(2)], session);
    expect(await answersOf(batch)).toMatchObject([{ id: 3, result: { prompts: expect.any(Array) } }]);
    expect(ended).toEqual(["SELECT 1", "SELECT 2"]);
  });

  test("may cancel a call of its own", async () => {
    const session = await begin();
    const batch = await post([query(1, "SELECT 1"), cancelled(1), request(2, "prompts/list")], session);
    expect(await answersOf(batch)).toMatchObject([{ id: 2 }]);
    expect(ended).toEqual(begun);
  });

  test("ends with its connection", async () => {
    const stop = new AbortController();
    const batch = post([query(1, "SELECT 1"), query(2, "SELECT 2")], {}, stop.signal);
    await expect.poll(() => begun).toEqual(["SELECT 1", "SELECT 2"]);
    stop.abort();
    await expect(batch.then((response) => response.text())).rejects.toThrow();
    await expect.poll(() => ended.toSorted()).toEqual(["SELECT 1", "SELECT 2"]);
  });

  test("is refused as a whole where one of its messages is none, or it is too long, or its headers are wrong", async () => {
    const call = query(1, "SELECT 1");
    for (const [body, headers, status, code] of [
      [[], {}, 400, -32600],
      [[call, { id: 2 }], {}, 400, -32600],
      [Array.from({ length: 101 }, () => call), {}, 400, -32600],
      [[call], { "mcp-protocol-version": "1999-01-01" }, 400, -32000],
      [[call, call], { accept: "text/html" }, 406, -32000],
    ] as const) {
      const response = await post(body, headers);
      expect([response.status, await response.json()]).toMatchObject([status, { id: null, error: { code } }]);
    }
    expect(begun).toEqual([]);
  });
});

test("a batch of a version without batches is refused, whatever it holds", async () => {
  for (const version of ["2025-06-18", "2025-11-25", "2026-07-28"])
    for (const batch of [[query(1, "SELECT 1")], [cancelled(1)], [request(1, "tools/list"), cancelled(1)]]) {
      const response = await post(batch, { "mcp-protocol-version": version });
      expect(response.status).toBe(400);
      const { id, error } = (await response.json()) as { id: null; error: { code: number; message: string } };
      expect([id, error.code]).toEqual([null, -32600]);
      expect(error.message).toContain(version);
      expect(error.message).toContain("a request of its own");
    }
  expect(begun).toEqual([]);
});
