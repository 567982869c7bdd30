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
