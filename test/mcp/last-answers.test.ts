import { PassThrough } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveMcpStdio } from "../../src/mcp/serve-stdio.js";
import { nextTurn } from "../../src/next-turn.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";
import { tools } from "../../src/tools/tools.js";

let lake: TestLake;
beforeAll(async () => {
  lake = await createTestLake({ records: [{ platform: "forum", lang: "en", text: "a tent" }] });
});
afterAll(() => lake.close());

const HELLO = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const search = (id: number) => ({
  id,
  method: "tools/call",
  params: { name: "search", arguments: { query: "tent" } },
});

/** Sends messages and ends the input at once. @returns the ids that were answered when the server has ended */
async function answered(signal: AbortSignal, ...messages: readonly object[]): Promise<unknown[]> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = serveMcpStdio(
    { version: "1", client: lake, tools: tools(lake), onError: () => {} },
    { input, output, signal },
  );
  input.end(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
  await ended;
  const text = Buffer.concat(await output.end().toArray()).toString();
  return text.split("\n").flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { id: unknown }).id]));
}
const forever = new AbortController().signal;

test("what was asked before the input ended is answered", async () => {
  const ids = await answered(forever, HELLO, search(1), search(2), { id: 3, method: "no/such" });
  expect(ids.toSorted()).toEqual([0, 1, 2, 3]);
});

test("a call that was cancelled is not waited for, nor a subscription, nor anything after a signal", async () => {
  const cancel = { method: "notifications/cancelled", params: { requestId: 1 } };
  expect(await answered(forever, HELLO, search(1), cancel)).toContain(0);
  expect(await answered(forever, HELLO, { id: 4, method: "subscriptions/listen", params: {} })).toContain(0);
  expect(await answered(AbortSignal.abort(), HELLO, search(1))).toEqual([]);
});

test("answers wait for a slow reader one after another", async () => {
  const [input, output] = [new PassThrough(), new PassThrough({ highWaterMark: 1 })];
  let waiting = 0;
  output.on("newListener", (name) => {
    if (name === "drain") waiting = Math.max(waiting, output.listenerCount("drain") + 1);
  });
  const ended = serveMcpStdio(
    { version: "1", client: lake, tools: tools(lake), onError: () => {} },
    { input, output, signal: forever },
  );
  const ids = Array.from({ length: 20 }, (_, n) => n + 1);
  for (const message of [HELLO, ...ids.map(search)])
    input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  input.end();
  const reading = (async () => {
    let text = "";
    for await (const piece of output.setEncoding("utf8")) {
      for (let n = 0; n < 10; n++) await nextTurn();
      text += piece;
    }
    return text;
  })();
  await ended;
  output.end();
  const answers = (await reading).trim().split("\n");
  expect(answers.map((line) => JSON.parse(line).id).toSorted((a, b) => a - b)).toEqual([0, ...ids]);
  expect(waiting).toBe(1);
});
