import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

let folder: TemporaryLake;
beforeAll(async () => {
  folder = await temporarySampleLake();
});
afterAll(() => folder.remove());

/** Starts `mirrorlake mcp` (of the built package) and speaks JSON-RPC with it, a message a line. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [CLI, "mcp", ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return {
    child,
    send,
    next: async () => JSON.parse((await lines.next()).value as string),
    async ask(method: string, params: object = {}) {
      send({ id: ++id, method, params });
      for (;;) {
        const message = JSON.parse((await lines.next()).value as string);
        if (message.id === id) return message.result ?? message.error;
      }
    },
  };
}

test("a client of 2025-11-25 lists and calls tools, and the server ends with its input", {
  tags: "slow",
}, async () => {
  const server = start("--lake", folder.path);
  const hello = await server.ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  expect(hello).toMatchObject({ protocolVersion: "2025-11-25", serverInfo: { name: "mirrorlake" } });
  server.send({ method: "notifications/initialized" });
  const { tools } = await server.ask("tools/list");
  expect(tools).toHaveLength(8);
  expect(tools[0]).toMatchObject({ name: "search", annotations: { readOnlyHint: true } });
  const found = await server.ask("tools/call", { name: "search", arguments: { query: "wireless mouse" } });
  expect(found.content[0].text).toContain("<quoted-data>");
  const wrong = await server.ask("tools/call", { name: "search", arguments: {} });
  expect(wrong).toMatchObject({ isError: true });
  server.child.stdin.end();
  expect(await once(server.child, "exit")).toEqual([0, null]);
});

test("a client of 2026-07-28 needs no handshake", { tags: "slow" }, async () => {
  const server = start("--lake", folder.path);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const { tools, ttlMs, cacheScope } = await server.ask("tools/list", { _meta });
  expect(tools).toHaveLength(8);
  expect({ ttlMs, cacheScope }).toEqual({ ttlMs: 3_600_000, cacheScope: "private" });
  const { content } = await server.ask("tools/call", { name: "list_platforms", arguments: {}, _meta });
  expect(content[0].text).toContain("platforms, those with most records first");
  server.child.kill("SIGTERM");
  await once(server.child, "exit");
});

test("a line that is no message is answered, and those after it are served", { tags: "slow" }, async () => {
  const server = start("--lake", folder.path);
  await server.ask("initialize", {
    protocolVersion: "2025-03-26",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  const ping = (id: unknown) => ({ jsonrpc: "2.0", id, method: "ping" });
  const parse = { jsonrpc: "2.0", id: null, error: { code: -32700 } };
  const invalid = (id: unknown) => ({ jsonrpc: "2.0", id, error: { code: -32600 } });
  for (const [line, ...answers] of [
    ["not JSON", parse],
    ["{", parse],
    [Buffer.from([0x22, 0xff, 0x22]), parse],
    ["null", invalid(null)],
    ["[]", invalid(null)],
    ['{"id":4,"method":"ping"}', invalid(4)],
    ['{"jsonrpc":"2.0","id":"5","method":"ping","params":7}', invalid("5")],
    ["x".repeat(10_485_761), invalid(null)],
    [JSON.stringify([ping(6), { id: 7 }, ping(8)]), invalid(7), { id: 6, result: {} }, { id: 8, result: {} }],
    [`\n \r\n\ufeff${JSON.stringify(ping(9))}\r`, { id: 9, result: {} }],
    [JSON.stringify(ping("é".repeat(2_000_000))), { result: {} }],
  ] as const) {
    server.child.stdin.write(line);
    server.child.stdin.write("\n");
    const said = [];
    for (const _ of answers) said.push(await server.next());
    expect(said.sort((one, other) => Number(one.id) - Number(other.id))).toMatchObject(
      [...answers].sort(
        (one, other) => Number("id" in one ? one.id : 0) - Number("id" in other ? other.id : 0),
      ),
    );
  }
  server.child.stdin.end("{");
  expect(await server.next()).toMatchObject(parse);
  expect(await once(server.child, "exit")).toEqual([0, null]);
});
