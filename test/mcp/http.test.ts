import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { type RunningServer, startServer } from "../../src/http/server.js";
import { createMcpEndpoint, type McpEndpoint } from "../../src/mcp/http-endpoint.js";
import { createMcpServer } from "../../src/mcp/mcp-server.js";
import { type ToolName, tools } from "../../src/tools/tools.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

let folder: TemporaryLake;
let lake: LakeClient;
let endpoint: McpEndpoint;
let server: RunningServer;
const failures: unknown[] = [];

beforeAll(async () => {
  folder = await temporarySampleLake();
  lake = await openLake(folder.path, { limits: "off" });
  const { service, account, sqlStream } = lake;
  endpoint = createMcpEndpoint({
    version: "0.0.0",
    service,
    account,
    sqlStream,
    origins: ["https://app.example"],
    onError: (error) => failures.push(error),
  });
  server = await startServer(service, { mcp: endpoint.fetch });
});

afterAll(async () => {
  await endpoint.close();
  await server.close(0);
  await lake.close();
  await folder.remove();
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Sends a request of the given version, and returns the status and every message of the answer. */
async function post(
  method: string,
  params: object,
  options: { key?: string; headers?: object; signal?: AbortSignal; legacy?: boolean; url?: string } = {},
) {
  const { key = lake.apiKey, headers = {}, signal, legacy = false, url = `${server.url}/mcp` } = options;
  const { name, uri, _meta = {} } = params as { name?: string; uri?: string; _meta?: object };
  const named = name ?? uri;
  const response = await fetch(url, {
    method: "POST",
    signal: signal ?? null,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(legacy
        ? {}
        : {
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": method,
            ...(named === undefined ? {} : { "mcp-name": named }),
          }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: legacy ? params : { ...params, _meta: { ...META, ..._meta } },
    }),
  });
  const text = await response.text();
  const isStream = response.headers.get("content-type")?.includes("event-stream") === true;
  const messages = isStream
    ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!))
    : text === ""
      ? []
      : [JSON.parse(text)];
  const last = messages.at(-1);
  return { status: response.status, messages, result: last?.result, error: last?.error };
}

describe("who may call", () => {
  test("a request without a key, with a wrong key or a revoked one gets 401", async () => {
    expect(await post("tools/list", {}, { key: "" })).toMatchObject({ status: 401 });
    expect(await post("tools/list", {}, { key: "ml_wrong" })).toMatchObject({ status: 401 });
    const { id, apiKey } = await lake.account.createKey({ scopes: ["search"] });
    expect(await post("tools/list", {}, { key: apiKey })).toMatchObject({ status: 200 });
    await lake.account.revokeKey(id);
    expect(await post("tools/list", {}, { key: apiKey })).toMatchObject({ status: 401 });
  });

  test("a key that is sent twice, and a body that is compressed, are refused and told why", async () => {
    expect(await post("tools/list", {}, { key: "ml_1, ml_1" })).toMatchObject({
      status: 401,
      error: { message: expect.stringContaining("sent twice") },
    });
    expect(await post("tools/list", {}, { headers: { "content-encoding": "gzip" } })).toMatchObject({
      status: 415,
      error: { message: expect.stringContaining("Content-Encoding") },
    });
    expect(await post("tools/list", {}, { headers: { "content-encoding": "identity" } })).toMatchObject({
      status: 200,
    });
  });

  test("a key's scopes hold, and SQL needs all of them", async () => {
    const key = lake.account.sessionKey(["search"]);
    const { result } = await post("tools/list", {}, { key });
    expect(result.tools.map(({ name }: { name: string }) => name)).not.toContain("query_sql");
    const found = await post("tools/call", { name: "search", arguments: { query: "mouse" } }, { key });
    expect(found.result).not.toHaveProperty("isError");
    const item = { name: "get_item", arguments: { platform: "forum", id: "p1" } };
    const refused = await post("tools/call", item, { key });
    expect(refused.result).toMatchObject({ isError: true });
    expect(refused.result.content[0].text).toContain("forbidden");
  });

  test("a foreign page or host is refused, an allowed page and a program are not", async () => {
    const with_ = (headers: object) => post("tools/list", {}, { headers });
    expect(await with_({ origin: "https://evil.example" })).toMatchObject({ status: 403 });
    expect(await with_({ origin: "null" })).toMatchObject({ status: 403 });
    expect(await with_({ origin: "https://app.example" })).toMatchObject({ status: 200 });
    expect(await with_({ origin: "http://localhost:3000" })).toMatchObject({ status: 200 });
    const { request } = await import("node:http");
    const status = await new Promise((resolve) =>
      request(`${server.url}/mcp`, { method: "POST", headers: { host: "evil.example" } }, (response) =>
        resolve(response.resume().statusCode),
      ).end("{}"),
    );
    expect(status).toBe(421);
  });
});

test("parameters of another shape than the protocol's are said to be wrong, in any version", async () => {
  const wrong = [
    ["tools/list", { cursor: 5 }],
    ["tools/call", { arguments: {} }],
    ["tools/call", { name: "search", arguments: 5 }],
    ["resources/list", { cursor: 5 }],
    ["resources/templates/list", { cursor: [] }],
    ["resources/read", {}],
    ["resources/read", { uri: 5 }],
    ["prompts/list", { cursor: {} }],
    ["prompts/get", {}],
    ["prompts/get", { name: "brief", arguments: { topic: 5 } }],
    ["completion/complete", { ref: { type: "ref/other" }, argument: { name: "a", value: "b" } }],
    ["completion/complete", {}],
  ] as const;
  const before = failures.length;
  for (const legacy of [true, false])
    for (const [method, params] of wrong) {
      const { uri } = params as { uri?: unknown };
      // The header of a parameter that is no text has nothing to say.
      const headers = legacy || uri === undefined ? {} : { "mcp-name": "5" };
      const { error } = await post(method, params, { legacy, headers });
      expect(error, `${method} ${JSON.stringify(params)}`).toMatchObject({ code: -32602 });
    }
  expect(failures.slice(before)).toEqual([]);
});

test("the address with a slash at its end is the same", async () => {
  const answer = await post("tools/list", {}, { url: `${server.url}/mcp/` });
  expect(answer).toMatchObject({ status: 200, result: { tools: expect.any(Array) } });
  expect((await post("tools/list", {}, { url: `${server.url}/mcp/other` })).status).toBe(404);
});

test("after a request that is too long its connection ends, because the rest is not read", async () => {
  const response = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: { "x-api-key": lake.apiKey, "content-type": "application/json" },
    body: JSON.stringify({ text: "x".repeat(2_000_000) }),
  });
  expect([response.status, response.headers.get("connection")]).toEqual([413, "close"]);
  await response.text();
});

describe("resources, prompts and completion", () => {
  test("every resource that is listed can be read, page by page", async () => {
    const uris: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { result } = await post("resources/list", cursor === undefined ? {} : { cursor });
      uris.push(...result.resources.map(({ uri }: { uri: string }) => uri));
      cursor = result.nextCursor;
      if (cursor === undefined) break;
    }
    expect(uris.length).toBeGreaterThan(10);
    expect(new Set(uris).size).toBe(uris.length);
    for (const uri of uris.slice(0, 6)) {
      const { result } = await post("resources/read", { uri });
      expect(result.contents[0]).toMatchObject({ uri });
    }
    expect(await post("resources/list", { cursor: "x" })).toMatchObject({ error: { code: -32602 } });
  });

  test("templates are those that can be read with the tools that are offered", async () => {
    const of = async (only: readonly ToolName[] | undefined) => {
      const { service, account } = lake;
      const some = createMcpEndpoint({
        version: "0.0.0",
        service,
        account,
        tools: { only },
        onError: (error) => failures.push(error),
      });
      const host = await startServer(service, { mcp: some.fetch });
      const { result } = await post("resources/templates/list", {}, { url: `${host.url}/mcp` });
      await some.close();
      await host.close(0);
      return result.resourceTemplates.map(({ name }: { name: string }) => name);
    };
    expect(await of(undefined)).toEqual(["record", "platform", "dataset-manifest", "dataset-card"]);
    expect(await of(["search", "get_item"])).toEqual(["record", "dataset-manifest", "dataset-card"]);
  });

  test("a record is read by its id, an unknown one is not found", async () => {
    const [{ id }] = (await lake.sql("SELECT id FROM records ORDER BY id LIMIT 1")) as [{ id: string }];
    const uri = `mirrorlake://records/${encodeURIComponent(id)}`;
    const { result } = await post("resources/read", { uri });
    expect(result.contents[0].text).toContain(id);
    for (const wrong of [
      "mirrorlake://records/soc_frm_none",
      "mirrorlake://x",
      "file:///etc/passwd",
      "mirrorlake://records/%zz",
    ])
      expect((await post("resources/read", { uri: wrong })).error.code, wrong).toBe(-32602);
  });

  test("what a key may not read or pay is refused, not said to be missing", async () => {
    const key = lake.account.sessionKey(["search"]);
    const [held] = await lake.sql<{ id: string }>("SELECT id FROM records WHERE platform = 'forum' LIMIT 1");
    for (const uri of [
      `mirrorlake://records/${held!.id}`,
      "mirrorlake://records/soc_frm_none",
      "mirrorlake://platforms/forum",
      "mirrorlake://datasets/none",
    ]) {
      const { error } = await post("resources/read", { uri }, { key });
      expect(error, uri).toMatchObject({ code: -32603, message: "Forbidden", data: { code: "forbidden" } });
    }
  });

  test("the list of tools is kept for its key alone, since scopes choose them", async () => {
    const { result } = await post("tools/list", {});
    expect(result).toMatchObject({ cacheScope: "private" });
    expect((await post("prompts/list", {})).result).toMatchObject({ cacheScope: "public" });
  });

  test("arguments are completed", async () => {
    const of = (ref: object, name: string, value: string) =>
      post("completion/complete", { ref, argument: { name, value } }).then(
        ({ result }) => result.completion.values,
      );
    const prompt = { type: "ref/prompt", name: "discussion" };
    expect(await of(prompt, "platform", "short")).toEqual(["short-video", "short-video-lite"]);
    expect(await of(prompt, "platform", "frum")).toEqual(["forum"]);
    const records = { type: "ref/resource", uri: "mirrorlake://records/{id}" };
    expect((await of(records, "id", "soc_frm")).length).toBeGreaterThan(0);
    const names = { type: "ref/resource", uri: "mirrorlake://datasets/{name}" };
    expect((await of(names, "name", "")).length).toBeGreaterThan(5);
  });

  test("every prompt fills, and says what it lacks", async () => {
    const { result } = await post("prompts/list", {});
    for (const { name, arguments: args } of result.prompts) {
      const given = Object.fromEntries(args.map((arg: { name: string }) => [arg.name, "value-of-it"]));
      const filled = await post("prompts/get", { name, arguments: given });
      expect(filled.result.messages[0].content.text).toContain("value-of-it");
      expect((await post("prompts/get", { name, arguments: {} })).error.message).toContain("needs");
    }
  });
});

describe("calls", () => {
  test("are answered by text alone, because clients that take structured content leave the text out", async () => {
    for (const legacy of [false, true]) {
      const { tools: listed } = (await post("tools/list", {}, { legacy })).result;
      for (const tool of listed) expect(tool).not.toHaveProperty("outputSchema");
      for (const [input, shown] of [
        [{ query: "wireless mouse", limit: 2 }, 2],
        [{ query: 5 }, 0],
      ] as const) {
        const params = { name: "search", arguments: input };
        const { result } = await post("tools/call", params, { legacy });
        expect(result).not.toHaveProperty("structuredContent");
        expect(result).toMatchObject({
          content: [{ type: "text" }],
          _meta: { "io.github.mirrorlake/figures": { shown, left_out: 0, next: [] } },
        });
      }
    }
  });

  test("report progress when asked, of both versions", async () => {
    for (const legacy of [false, true]) {
      const params = { name: "get_account", arguments: {}, _meta: { progressToken: "p" } };
      const { messages } = await post("tools/call", params, { legacy });
      expect(messages.map(({ method }) => method)).toEqual([
        "notifications/progress",
        "notifications/progress",
        undefined,
      ]);
    }
  });

  test("of a client that goes away end, and free what they held", async () => {
    let ended = 0;
    let begun = (): void => {};
    const { service, account } = lake;
    const slow = createMcpEndpoint({
      version: "0.0.0",
      service,
      account,
      sqlStream: async function* (_query: string, _params: unknown, { signal }: { signal: AbortSignal }) {
        const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
        begun();
        await aborted;
        ended++;
        signal.throwIfAborted();
      } as never,
      onError: () => {},
    });
    const host = await startServer(service, { mcp: slow.fetch });
    for (const legacy of [false, true]) {
      const controller = new AbortController();
      begun = () => controller.abort();
      const running = fetch(`${host.url}/mcp`, {
        method: "POST",
        signal: controller.signal,
        headers: {
          "x-api-key": lake.apiKey,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(legacy
            ? {}
            : { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "query_sql" }),
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "query_sql", arguments: { query: "SELECT 1" }, ...(legacy ? {} : { _meta: META }) },
        }),
      }).then((response) => response.text());
      await expect(running).rejects.toThrow();
    }
    await expect.poll(() => ended).toBe(2);
    await slow.close();
    await host.close(0);
  });

  test("of a session are cancelled by a request of it, and by none of another with the same key and ids", async () => {
    const ended: string[] = [];
    let begun = 0;
    const { service, account } = lake;
    const slow = createMcpEndpoint({
      version: "0.0.0",
      service,
      account,
      sqlStream: async function* (query: string, _params: unknown, { signal }: { signal: AbortSignal }) {
        begun++;
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        ended.push(query);
        signal.throwIfAborted();
      } as never,
      onError: () => {},
    });
    const host = await startServer(service, { mcp: slow.fetch });
    const say = (message: object, session?: string) =>
      fetch(`${host.url}/mcp`, {
        method: "POST",
        headers: {
          "x-api-key": lake.apiKey,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(session === undefined ? {} : { "mcp-session-id": session }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      });
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    const begin = async () => {
      const response = await say({ id: 0, method: "initialize", params });
      await response.text();
      return response.headers.get("mcp-session-id")!;
    };
    const ask = async (session: string | undefined, query: string) =>
      (
        await say(
          { id: 1, method: "tools/call", params: { name: "query_sql", arguments: { query } } },
          session,
        )
      ).text();
    const cancel = async (session: string | undefined, requestId: number) =>
      (await say({ method: "notifications/cancelled", params: { requestId } }, session)).status;
    const [first, second] = [await begin(), await begin()];
    expect(first).not.toBe(second);
    const answers = [ask(first, "SELECT 1"), ask(second, "SELECT 2")];
    await expect.poll(() => begun).toBe(2);
    expect(await cancel(undefined, 1)).toBe(202);
    expect(await cancel("guessed", 1)).toBe(202);
    expect(await cancel(first, 2)).toBe(202);
    expect(ended).toEqual([]);
    expect(await cancel(first, 1)).toBe(202);
    expect(await answers[0]).not.toContain("result");
    expect(ended).toEqual(["SELECT 1"]);
    expect(await cancel(first, 1)).toBe(202);
    expect(await cancel(second, 1)).toBe(202);
    expect(await answers[1]).not.toContain("result");
    expect(ended).toEqual(["SELECT 1", "SELECT 2"]);
    await slow.close();
    await host.close(0);
  });

  test("of a hundred agents at once get their own answers", async () => {
    const found = await lake.sql<{ id: string }>(
      "SELECT id FROM records WHERE platform IN ('forum', 'global-news', 'sea-marketplace') ORDER BY id",
    );
    const ids = Array.from({ length: 100 }, (_, i) => found[i % found.length]!.id);
    const answers = await Promise.all(
      ids.map((id) => post("tools/call", { name: "get_item", arguments: { id } })),
    );
    for (const [i, { result }] of answers.entries()) expect(result.content[0].text).toContain(`/${ids[i]}@`);
  });
});

test("schemas of tools are made for those who list them, not for every request", () => {
  const read: string[] = [];
  const watched = tools(lake).map((tool) => ({
    ...tool,
    get inputSchema() {
      read.push(tool.name);
      return tool.inputSchema;
    },
  }));
  createMcpServer({ version: "0.0.0", client: lake, tools: watched, onError: () => {} });
  expect(read).toEqual([]);
});
