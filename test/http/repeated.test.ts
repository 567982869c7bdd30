import { afterEach, expect, test } from "vitest";
import { micros } from "../../src/contract/money.js";
import { type RunningServer, startServer } from "../../src/http/server.js";
import { echoService } from "../service/echo-service.js";

const PRICE = 10_000n;
const UUID = "6f1c2b34-0000-4000-8000-00000000002a";
let running: RunningServer | undefined;
afterEach(() => running?.close(0));

/** A server whose account pays for so many calls, and a call of it with an id. */
async function start(calls: bigint) {
  const echo = echoService((say) => (say === "nothing" ? null : say), {
    openingBalance: micros(calls * PRICE),
  });
  const server = await startServer(echo.service);
  running = server;
  const call = async (id: string | undefined, say: unknown = "hi", path = "/v1/echo") => {
    const isGet = path !== "/v1/echo";
    const response = await fetch(`${server.url}${path}`, {
      method: isGet ? "GET" : "POST",
      headers: {
        "x-api-key": echo.apiKey,
        "content-type": "application/json",
        ...(id === undefined ? {} : { "X-Request-Id": id }),
      },
      ...(isGet ? {} : { body: JSON.stringify({ say }) }),
    });
    const body = (await response.json()) as { request_id?: string };
    return { status: response.status, id: response.headers.get("x-request-id"), named: body.request_id };
  };
  const balance = async () => (await echo.account.state()).balance / PRICE;
  return { call, balance };
}

test("a call that is repeated with its X-Request-Id is charged once, and answered when the money is spent", async () => {
  const { call, balance } = await start(2n);
  expect(await call(UUID)).toEqual({ status: 200, id: UUID, named: UUID });
  const named = await call("load-1");
  expect(named).toMatchObject({ status: 200, id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8/) });
  expect(await balance()).toBe(0n);
  expect((await call("load-2")).status).toBe(402);
  for (let times = 0; times < 3; times += 1) {
    expect(await call(UUID)).toEqual({ status: 200, id: UUID, named: UUID });
    expect(await call("load-1")).toEqual(named);
  }
  const together = await Promise.all([UUID, "load-3", UUID, "load-1"].map((id) => call(id)));
  expect(together.map(({ status }) => status)).toEqual([200, 402, 200, 200]);
  expect(await balance()).toBe(0n);
});

test("an id pays for one call: others that carry it are charged for themselves", async () => {
  const { call, balance } = await start(10n);
  for (const say of ["one", "two", "one"]) await call(UUID, say);
  await call(UUID, undefined, "/v1/ask?say=one");
  await call(UUID, undefined, "/v1/ask?say=one&cursor=1");
  await call(UUID, undefined, "/v1/ask?cursor=1&say=one");
  expect(await balance()).toBe(6n);
  await call(UUID, "nothing");
  expect(await balance()).toBe(6n);
  // Without an id, or with an empty one, each call has its own.
  const ids = [await call(undefined), await call(""), await call("")].map(({ id }) => id);
  expect(new Set(ids).size).toBe(3);
  expect(await balance()).toBe(3n);
});

test("letter case tells no UUIDs apart, and other ids by their letters", async () => {
  const { call, balance } = await start(10n);
  expect(await call(UUID.toUpperCase())).toEqual({ status: 200, id: UUID, named: UUID });
  await call(UUID);
  expect(await balance()).toBe(9n);
  expect(await call("Load-1")).not.toEqual(await call("load-1"));
  expect(await balance()).toBe(7n);
});
