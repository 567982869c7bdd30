import nodeHttp from "node:http";
import nodeHttps from "node:https";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { Budget } from "../../src/client/budget.js";
import { type ConnectOptions, connect } from "../../src/client/connect.js";
import { createFetch, type Fetch } from "../../src/client/lake-fetch.js";
import { pauseMs, type RetryPolicy } from "../../src/client/retry.js";
import { retryAfterMs } from "../../src/contract/service/retry-after.js";
import { JsonBodyWriter } from "../../src/service/json-body.js";
import { ECHO_CATALOGUE, echoService } from "../service/echo-service.js";

const meta = {
  billed: true,
  charged_usd: "0.010000",
  used_free_quota: false,
  free_quota_remaining: 0,
  balance_usd: "1.000000",
  empty: false,
};
const request_id = "7d1f3c5e-0000-4000-8000-000000000000";
const success = (data: unknown) => Response.json({ request_id, data, meta });
const failure = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ error: { code, message: "m", request_id } }, { status, headers });

const pauses: number[] = [];
const policy: RetryPolicy = {
  retries: 3,
  backoffMs: 100,
  maxPauseMs: 60_000,
  random: () => 0.5,
  sleep: async (ms) => void pauses.push(ms),
  now: () => Date.parse("2026-05-01T00:00:00Z"),
};

/** A client whose requests get these answers, one after the other. */
function client(answers: readonly (Response | Error)[], options: Partial<ConnectOptions> = {}) {
  pauses.length = 0;
  const sent: Request[] = [];
  const fetch: Fetch = async (input, init) => {
    sent.push(new Request(input, init));
    const answer = answers[sent.length - 1];
    if (answer instanceof Response) return answer;
    throw answer ?? new Error("one request too many");
  };
  const remote = connect({
    baseUrl: "http://service.example/base/",
    apiKey: "ml_key",
    catalogue: ECHO_CATALOGUE,
    retry: policy,
    fetch,
    ...options,
  });
  return { remote, sent };
}

test("a call is one request with the key, the parameters and no redirect followed", async () => {
  const { remote, sent } = client([success({ a: 1 }), success("x")]);
  const answer = await remote.call("echo", { say: "hé" });
  expect(answer).toEqual({ request_id, data: { a: 1 }, meta });
  expect(answer.requestId).toBe(request_id);
  expect(answer.headers["content-type"]).toBe("application/json");
  expect(sent[0]).toMatchObject({
    method: "POST",
    url: "http://service.example/base/v1/echo",
    redirect: "error",
  });
  expect(sent[0]?.headers.get("authorization")).toBe("Bearer ml_key");
  expect(await sent[0]?.json()).toEqual({ say: "hé" });
  await remote.call("ask", { say: "a b&c", cursor: undefined });
  expect(sent[1]).toMatchObject({ method: "GET", url: "http://service.example/base/v1/ask?say=a+b%26c" });
});

test("a base URL that ends with /v1 is that of the service", async () => {
  for (const baseUrl of ["http://service.example/base/v1", "http://service.example/base/v1//"]) {
    const { remote, sent } = client([success(1)], { baseUrl });
    await remote.call("echo", { say: "a" });
    expect(sent[0]?.url).toBe("http://service.example/base/v1/echo");
    expect(remote.baseUrl).toBe("http://service.example/base");
  }
});

test("an option among the parameters is named with its place, once the service refuses it", async () => {
  const refused = Response.json(
    { error: { code: "invalid_params", message: "signal: unknown parameter", request_id } },
    { status: 400 },
  );
  const { remote } = client([refused]);
  await expect(remote.call("echo", { say: "a", signal: "x" } as never)).rejects.toMatchObject({
    code: "invalid_params",
    message: "signal: unknown parameter",
    hint: "signal is an option of the call: it comes after the parameters, as { signal }",
  });
});

test("a value that no request can carry is refused before anything is sent or spent, as in process", async () => {
  const { remote, sent } = client([], { budgetUsd: "1" });
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const values = { ask: [null, [], {}, 5n, () => 1, Symbol("s"), [["a"]]], echo: [5n, () => 1, circle] };
  for (const [id, list] of Object.entries(values)) {
    for (const say of list)
      await expect(remote.call(id, { say })).rejects.toMatchObject({
        name: "ApiError",
        code: "invalid_params",
        status: 400,
        message: expect.stringMatching(/^say: must /),
      });
  }
  expect(sent).toEqual([]);
  expect(remote.spentUsd).toBe("0.000000");
});

test("no parameters are parameters without values", async () => {
  const { remote, sent } = client([success(1), success(2), success(3)]);
  // @ts-expect-error parameters are an object
  await remote.call("ask", undefined);
  // @ts-expect-error parameters are an object
  await remote.call("ask", null);
  // @ts-expect-error parameters are an object
  await remote.call("echo", null);
  expect(sent.map(({ url }) => new URL(url).search)).toEqual(["", "", ""]);
  expect(await sent[2]?.json()).toBe(null);
});

test("a platform and resource that the catalogue does not list are asked for all the same", async () => {
  const { remote, sent } = client([success([])]);
  await remote.call("raw.new platform.thing", { ids: ["1", "2"] });
  expect(sent[0]?.url).toBe("http://service.example/base/v1/raw/new%20platform/thing?ids=1&ids=2");
});

test("429 and 503 are tried again, not before Retry-After; the pauses in between grow", async () => {
  const busy = failure(429, "endpoint_busy", { "retry-after": "2" });
  const { remote, sent } = client([
    busy,
    failure(503, "service_unavailable"),
    failure(429, "rate_limited"),
    success(1),
  ]);
  expect((await remote.call("echo", { say: 1 })).data).toBe(1);
  expect(pauses).toEqual([2100, 150, 300]);
  expect(sent).toHaveLength(4);
});

test("after the last attempt, and for a Retry-After beyond the longest pause, the error is thrown", async () => {
  const many = client(Array.from({ length: 4 }, () => failure(503, "service_unavailable")));
  await expect(many.remote.call("echo", { say: 1 })).rejects.toMatchObject({
    code: "service_unavailable",
    requestId: request_id,
  });
  expect(many.sent).toHaveLength(4);
  const long = client([failure(429, "rate_limited", { "retry-after": "61" })]);
  await expect(long.remote.call("echo", { say: 1 })).rejects.toMatchObject({
    code: "rate_limited",
    retryAfterS: 61,
  });
  expect(long.sent).toHaveLength(1);
});

test.each(["9999999999", "9".repeat(400)])("a Retry-After of %s is long, not absent", async (seconds) => {
  const { remote, sent } = client([failure(429, "rate_limited", { "retry-after": seconds })]);
  await expect(remote.call("echo", { say: 1 })).rejects.toMatchObject({
    code: "rate_limited",
    retryAfterS: 999_999_999,
  });
  expect(sent).toHaveLength(1);
});

test.each([
  [400, "invalid_params"],
  [401, "invalid_api_key"],
  [402, "insufficient_credits"],
  [403, "forbidden"],
  [404, "not_found"],
  [502, "bad_gateway"],
  [504, "gateway_timeout"],
])("%d %s is thrown at once, typed by its code", async (status, code) => {
  const { remote, sent } = client([failure(status, code)]);
  await expect(remote.call("echo", { say: 1 })).rejects.toMatchObject({ name: "ApiError", status, code });
  expect(sent).toHaveLength(1);
});

test("a code that we do not know keeps its status and is named in the message", async () => {
  const { remote } = client([failure(402, "balance_low"), failure(418, "teapot")]);
  await expect(remote.call("echo", { say: 1 })).rejects.toMatchObject({
    name: "ApiError",
    code: "insufficient_credits",
    message: "m (code balance_low)",
  });
  await expect(remote.call("echo", { say: 1 })).rejects.toMatchObject({ name: "ResponseError", value: 418 });
});

test("an error's words are kept to a readable length, and Retry-After only where it is a number of seconds", async () => {
  const long = Response.json(
    { error: { code: "x".repeat(1e6), message: "m".repeat(1e6), request_id } },
    { status: 400 },
  );
  const { remote } = client([long, failure(400, "invalid_params", { "retry-after": "-5" })]);
  const error = (await remote.call("echo", { say: 1 }).catch((thrown: unknown) => thrown)) as Error;
  expect(error.message.length).toBeLessThan(5_000);
  await expect(remote.call("echo", { say: 1 })).rejects.toMatchObject({ retryAfterS: undefined });
});

test("what is no answer of the service is an error of its own", async () => {
  const { remote } = client([
    new Response("Internal Server Error", { status: 500, headers: { "x-request-id": "r1" } }),
    new Response("<html>", { status: 200 }),
    Response.json({ detail: "Method Not Allowed" }, { status: 405 }),
  ]);
  await expect(remote.call("echo", { say: 1 })).rejects.toMatchObject({
    name: "ResponseError",
    code: "server_error",
  });
  await expect(remote.call("echo", { say: 1 })).rejects.toMatchObject({
    code: "unexpected_response",
    value: 200,
  });
  await expect(remote.call("echo", { say: 1 })).rejects.toMatchObject({ code: "method_not_allowed" });
});

test("a failed connection is not tried again: the call may have been charged", async () => {
  const reset = new TypeError("fetch failed", {
    cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }),
  });
  const { remote, sent } = client([reset], { budgetUsd: "1" });
  await expect(remote.call("echo", { say: 1 })).rejects.toMatchObject({
    name: "ConnectionError",
    code: "connection_failed",
    message: expect.stringContaining("reset"),
  });
  expect(sent).toHaveLength(1);
  expect(remote.spentUsd).toBe("0.010000");
});

test("a refused connection costs nothing of the budget", async () => {
  const refused = new TypeError("fetch failed", {
    cause: Object.assign(new Error("no"), { code: "ECONNREFUSED" }),
  });
  const { remote } = client([refused], { budgetUsd: "1" });
  await expect(remote.call("echo", { say: 1 })).rejects.toMatchObject({ code: "connection_failed" });
  expect(remote.spentUsd).toBe("0.000000");
});

const never: Fetch = (_input, init) =>
  new Promise((_resolve, reject) => {
    init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
  });

test("an attempt that takes too long is a timeout, one that is aborted rejects with the reason", async () => {
  const { remote } = client([], { fetch: never, timeoutMs: 10 });
  await expect(remote.call("echo", { say: 1 })).rejects.toMatchObject({
    name: "ConnectionError",
    code: "timeout",
  });
  const controller = new AbortController();
  const slow = client([], { fetch: never });
  const pending = slow.remote.call("echo", { say: 1 }, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await expect(pending).rejects.toThrow("enough");
  await expect(slow.remote.call("echo", { say: 1 }, { signal: controller.signal })).rejects.toThrow("enough");
});

test("a pause ends when the caller gives up", async () => {
  const controller = new AbortController();
  const { sleep: _, ...retry } = policy;
  const { remote } = client([failure(429, "rate_limited", { "retry-after": "30" })], { retry });
  const pending = remote.call("echo", { say: 1 }, { signal: controller.signal });
  setImmediate(() => controller.abort(new Error("enough")));
  await expect(pending).rejects.toThrow("enough");
});

test("a budget stops a call that could pass it; the free quota does not count", async () => {
  const free = Response.json({ request_id, data: 1, meta: { ...meta, charged_usd: "0.000000" } });
  const { remote, sent } = client([success(1), free, success(1)], { budgetUsd: "0.025" });
  for (let i = 0; i < 3; i++) await remote.call("echo", { say: 1 });
  await expect(remote.call("echo", { say: 1 })).rejects.toMatchObject({
    name: "BudgetError",
    code: "budget_exceeded",
  });
  expect(remote.spentUsd).toBe("0.020000");
  expect(sent).toHaveLength(3);
});

test("no sequence of calls under way passes the budget", () => {
  const step = fc.record({ price: fc.bigInt(0n, 50n), end: fc.constantFrom("open", "settle", "lost") });
  fc.assert(
    fc.property(fc.bigInt(0n, 200n), fc.array(step), (cap, steps) => {
      const budget = new Budget(`0.${cap.toString().padStart(6, "0")}`);
      let worst = 0n;
      for (const { price, end } of steps) {
        try {
          const reservation = budget.reserve(price as never);
          worst += price;
          if (end === "settle") reservation.settle(price as never);
          if (end === "lost") reservation.assumeSpent();
        } catch {
          expect(worst + price).toBeGreaterThan(cap);
        }
        expect(worst).toBeLessThanOrEqual(cap);
        expect(budget.spent).toBeLessThanOrEqual(worst);
      }
    }),
  );
});

test("pauses honour Retry-After and stay within their bounds", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3 }),
      fc.nat(60),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (n, after, r) => {
        const jittered = { ...policy, random: () => r };
        expect(pauseMs(jittered, n, String(after))).toBeGreaterThanOrEqual(after * 1000);
        expect(pauseMs(jittered, n, String(after))).toBeLessThanOrEqual(after * 1100);
        const plain = pauseMs(jittered, n, undefined)!;
        expect(plain).toBeGreaterThanOrEqual(50 * 2 ** (n - 1));
        expect(plain).toBeLessThanOrEqual(100 * 2 ** (n - 1));
      },
    ),
  );
  expect(pauseMs(policy, 4, "1")).toBeUndefined();
});

test.each([
  ["0", 0],
  ["7", 7000],
  [" 7 ", 7000],
  ["Fri, 01 May 2026 00:00:10 GMT", 10_000],
  ["Thu, 30 Apr 2026 00:00:10 GMT", 0],
  ["-1", undefined],
  ["1.5", undefined],
  ["soon", undefined],
  [undefined, undefined],
])("Retry-After %s is %s ms", (header, ms) => {
  expect(retryAfterMs(header, policy.now())).toBe(ms);
});

test("cursors are followed and a comment that comes twice is dropped", async () => {
  const page = (cids: readonly string[], cursor: number, has_more: boolean) =>
    success({ items: cids.map((cid) => ({ cid })), cursor, has_more });
  const answers = () => [page(["a", "b"], 2, true), page(["b", "c"], 4, true), page(["a", "d"], 5, false)];
  const { remote, sent } = client(answers());
  const cids: unknown[] = [];
  for await (const item of remote.items("ask", { say: "x" })) cids.push((item as { cid: string }).cid);
  expect(cids).toEqual(["a", "b", "c", "d"]);
  expect(sent.map(({ url }) => new URL(url).searchParams.get("cursor"))).toEqual([null, "2", "4"]);
  const again = client(answers());
  for await (const { data } of again.remote.pages("ask", { say: "x", cursor: 1 })) {
    expect(data).toMatchObject({ cursor: 2 });
    break; // a reader that stops asks for no more pages
  }
  expect(again.sent).toHaveLength(1);
  expect(new URL(again.sent[0]!.url).searchParams.get("cursor")).toBe("1");
});

test("an abort ends a list at once: in the middle of a page, and before the next page is asked for", async () => {
  const page = () => success({ items: [{ cid: "a" }, { cid: "b" }], cursor: 2, has_more: true });
  const during = client([page()]);
  const stop = new AbortController();
  const cids: unknown[] = [];
  const readItems = async () => {
    for await (const item of during.remote.items("ask", { say: "x" }, { signal: stop.signal })) {
      cids.push((item as { cid: string }).cid);
      stop.abort(new Error("enough"));
    }
  };
  await expect(readItems()).rejects.toThrow("enough");
  expect(cids).toEqual(["a"]);
  expect(during.sent).toHaveLength(1);

  const between = client([page()]);
  const next = new AbortController();
  const readPages = async () => {
    for await (const _ of between.remote.pages("ask", { say: "x" }, { signal: next.signal }))
      next.abort(new Error("enough"));
  };
  await expect(readPages()).rejects.toThrow("enough");
  expect(between.sent).toHaveLength(1);
});

test("a cursor that leads back is an error, not an endless list", async () => {
  const stuck = () => success({ items: [], cursor: 2, has_more: true });
  const { remote } = client([stuck(), stuck()]);
  const read = async () => {
    for await (const _ of remote.pages("ask", { say: "x" }));
  };
  await expect(read()).rejects.toMatchObject({ code: "cursor_stuck" });
  const other = client([success("no page")]);
  await expect(other.remote.items("ask", { say: "x" })[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: "not_a_page",
  });
});

test("segments in braces are filled from the parameters", async () => {
  const row = { ...ECHO_CATALOGUE[1]!, id: "thing", path: "/v1/things/{thing_id}/parts/{n}" };
  const { remote, sent } = client([success(1)], { catalogue: [row] });
  await remote.call("thing", { thing_id: "a/b c", n: 7, say: "x" });
  expect(sent[0]?.url).toBe("http://service.example/base/v1/things/a%2Fb%20c/parts/7?say=x");
  await expect(remote.call("thing", { n: 7 })).rejects.toMatchObject({ code: "missing_path_parameter" });
});

test("an id that the catalogue does not have is a usage error", async () => {
  const { remote } = client([]);
  await expect(remote.call("nowhere", {})).rejects.toMatchObject({
    name: "UsageError",
    code: "unknown_endpoint",
  });
});

test.each([
  [{ baseUrl: "service.example" }, "invalid_base_url"],
  [{ baseUrl: "ftp://service.example" }, "invalid_base_url"],
  [{ baseUrl: "http://u:p@service.example" }, "invalid_base_url"],
  [{ baseUrl: "http://service.example/?x=1" }, "invalid_base_url"],
  [{ apiKey: "" }, "invalid_api_key"],
  [{ apiKey: "a\nb" }, "invalid_api_key"],
  [{ budgetUsd: "ten" }, "invalid_amount"],
  [{ budgetUsd: -1 }, "invalid_amount"],
  [{ timeoutMs: 0 }, "invalid_timeout"],
  [{ timeoutMs: 1.5 }, "invalid_timeout"],
])("options %j are refused: %s", (options, code) => {
  expect(() => connect({ baseUrl: "http://a", apiKey: "k", ...options })).toThrow(
    expect.objectContaining({ code }),
  );
});

test("the drop-in fetch serves a client whatever its base URL", async () => {
  const { service, apiKey } = echoService((say) => [{ id: "x", say, vec: Float32Array.of(0.1, 0.5) }]);
  const lakeFetch = createFetch(service, new JsonBodyWriter());
  for (const baseUrl of ["https://api.example", "http://127.0.0.1:1/deep/v1/base"]) {
    const remote = connect({ baseUrl, apiKey, catalogue: ECHO_CATALOGUE, fetch: lakeFetch });
    const { data, headers } = await remote.call("echo", { say: "hi" });
    expect(data).toEqual([{ id: "x", say: "hi", vec: Float32Array.of(0.1, 0.5) }]);
    expect(headers["x-service-charged"]).toBe("0.010000");
  }
});

test("the drop-in fetch takes what fetch takes", async () => {
  const { service, apiKey } = echoService();
  const lakeFetch = createFetch(service, new JsonBodyWriter());
  const headers = { "x-api-key": apiKey };
  const body = JSON.stringify({ say: "hi" });
  const json = { ...headers, "content-type": "application/json" };
  const dataOf = async (response: Response) => ((await response.json()) as { data: unknown }).data;
  const request = new Request("http://any.example/v1/echo", { method: "POST", headers: json, body });
  expect(await dataOf(await lakeFetch(request))).toBe("hi");
  expect(await dataOf(await lakeFetch(new URL("http://any.example/v1/ask?say=you"), { headers }))).toBe(
    "you",
  );
  const relative = await lakeFetch("/v1/ask?say=you", { headers });
  expect([relative.ok, relative.headers.get("content-type")]).toEqual([true, "application/json"]);
  expect((await lakeFetch("https://any.example/v1/ask?say=you")).status).toBe(401);
  const text = await lakeFetch("/v1/echo", { method: "POST", headers, body });
  expect(await text.json()).toMatchObject({
    error: { message: "body: Content-Type must be application/json" },
  });
  const put = await lakeFetch("http://any.example/v1/echo", { method: "PUT", body });
  expect([put.status, await put.text()]).toEqual([405, '{"detail":"Method Not Allowed"}']);
  await expect(lakeFetch("/v1/ask?say=x", { headers, signal: AbortSignal.abort() })).rejects.toThrow();
});

test.each([
  ["a cursor that is an object", () => [], () => ({ at: 1 }), "not_a_page", 1],
  ["rising cursors of empty pages", () => [], (n: number) => n, "cursor_stuck", 10],
  ["rising cursors of one same item", () => [{ cid: "a" }], (n: number) => n, "cursor_stuck", 11],
])("items() ends at %s", async (_name, items, cursor, code, calls) => {
  let asked = 0;
  const { remote } = client([], {
    budgetUsd: "1",
    fetch: async () => success({ items: items(), cursor: cursor(++asked), has_more: true }),
  });
  const read = async () => {
    for await (const _ of remote.items("ask", { say: "x" }));
  };
  await expect(read()).rejects.toMatchObject({ name: "ResponseError", code });
  expect(asked).toBe(calls);
});

test.each([
  ["http", nodeHttp],
  ["https", nodeHttps],
])(
  "what stands in for the request of node:%s, as msw does, gets those of a client",
  async (scheme, module) => {
    const seen: unknown[] = [];
    const replaced = vi.spyOn(module, "request").mockImplementation((url: unknown) => {
      seen.push(String(url));
      throw new TypeError("fetch failed", { cause: new Error("intercepted") });
    });
    try {
      const remote = connect({ baseUrl: `${scheme}://127.0.0.1:9`, apiKey: "ml_key", retry: { retries: 0 } });
      await expect(remote.call("account.show", {})).rejects.toThrow("intercepted");
      await remote.close();
    } finally {
      replaced.mockRestore();
    }
    expect(seen).toEqual([`${scheme}://127.0.0.1:9/v1/account`]);
  },
);
