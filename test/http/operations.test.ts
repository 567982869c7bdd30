import { afterEach, expect, test } from "vitest";
import { LakeError } from "../../src/contract/errors.js";
import type { EndedRequest } from "../../src/http/observe-request.js";
import { type OperationsServer, startOperations } from "../../src/http/operations-server.js";
import { Readiness } from "../../src/http/readiness.js";
import { RequestLog } from "../../src/http/request-log.js";
import { type ServiceServer, startServer } from "../../src/http/server.js";
import { ServerMetrics } from "../../src/metrics/server-metrics.js";
import { observeCalls } from "../../src/service/observe-calls.js";
import { readMetrics } from "../metrics/read-metrics.js";
import { type EchoService, echoService } from "../service/echo-service.js";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A service over HTTP with metrics, probes and logs, the clock of which stands still. */
async function start(echo: EchoService = echoService(), format: "json" | "text" = "json") {
  const metrics = new ServerMetrics("9.9.9");
  const readiness = new Readiness();
  const lines: string[] = [];
  const log = new RequestLog(format, { now: () => 0 }, (line) => lines.push(line));
  const waiting = new Set<() => void>();
  const server: ServiceServer = await startServer(observeCalls(echo.service, metrics.calls), {
    readiness,
    onRequest: (request: EndedRequest) => {
      metrics.requested(request);
      log.request(request);
      for (const each of waiting) each();
    },
  });
  const state = async () => ({ ...(await server.measure()), generation: 3, records: 7 });
  const operations: OperationsServer = await startOperations({
    readiness,
    allowedHosts: ["lake-1"],
    metrics: async () => metrics.text(await readiness.report(), await state()),
  });
  closing.push(
    () => metrics.close(),
    () => operations.close(),
    () => server.close(0),
  );
  const say = (said: unknown, init: RequestInit & { readonly path?: string; readonly key?: string } = {}) =>
    fetch(`${server.url}${init.path ?? "/v1/echo"}`, {
      method: "POST",
      body: JSON.stringify({ say: said }),
      ...init,
      headers: { "x-api-key": init.key ?? echo.apiKey, "content-type": "application/json" },
    });
  /** Waits until so many requests are over. */
  const logged = async (count: number) => {
    while (lines.length < count)
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
      });
    return lines;
  };
  const samples = async () => {
    const response = await fetch(`${operations.url}/metrics`);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    return readMetrics(await response.text());
  };
  const sample = async (name: string, labels: Record<string, string> = {}) =>
    (await samples()).find(
      (each) =>
        each.name === name && Object.entries(labels).every(([key, value]) => each.labels[key] === value),
    )?.value;
  return { server, operations, readiness, echo, say, logged, samples, sample };
}

test("metrics count calls by endpoint, status and code, stages, money, failures and cached texts", async () => {
  const vec = Float32Array.of(0.5, 1);
  const echo = echoService((say) => {
    if (say === "fail") throw new LakeError("cluster_unreachable", "away", { value: "secret", remedy: "" });
    if (say === "break") throw new TypeError("secret");
    return say === "vector" ? [{ id: "1", vec }] : say === "" ? null : say;
  });
  const { say, logged, sample, samples } = await start(echo);
  for (const said of ["hi", "hi", "", "fail", "break", "vector", "vector"]) await (await say(said)).text();
  await (await say("hi", { key: "ml_wrong" })).text();
  await logged(8);
  const of = (endpoint: string, status: number, code: string) =>
    sample("mirrorlake_calls_total", { endpoint, status: String(status), code });
  expect(await of("echo", 200, "ok")).toBe(4);
  expect(await of("echo", 200, "empty")).toBe(1);
  expect(await of("echo", 503, "service_unavailable")).toBe(1);
  expect(await of("echo", 500, "internal_error")).toBe(1);
  expect(await of("none", 401, "invalid_api_key")).toBe(1);
  expect(await sample("mirrorlake_failures_total", { cause: "cluster_unreachable" })).toBe(1);
  expect(await sample("mirrorlake_failures_total", { cause: "TypeError" })).toBe(1);
  expect(await sample("mirrorlake_charged_microusd_total")).toBe(40_000);
  expect(await sample("mirrorlake_calls_in_flight")).toBe(0);
  expect(await sample("mirrorlake_call_seconds_count", { operation: "echo" })).toBe(7);
  const reached = async (stage: string) => sample("mirrorlake_stage_seconds_count", { stage });
  expect(await reached("receive")).toBe(8);
  expect(await reached("read")).toBe(5);
  expect(await reached("failed")).toBe(3);
  expect(await reached("charge")).toBe(8);
  expect(await reached("write")).toBe(8);
  expect(await sample("mirrorlake_cache_hits_total", { cache: "vector_text" })).toBe(1);
  expect(await sample("mirrorlake_http_requests_total", { site: "v1", status: "200" })).toBe(5);
  expect(await sample("mirrorlake_lake_records")).toBe(7);
  expect(await sample("process_resident_memory_bytes")).toBeGreaterThan(1e7);
  expect((await samples()).some(({ name }) => name === "nodejs_eventloop_lag_p99_seconds")).toBe(true);
});

test("what callers write makes no new series, and is in no metric and no line", async () => {
  const { echo, say, logged, samples } = await start();
  const ask = async (n: number) => {
    await (await say(`q-${n}`, { key: `ml_guess${n}` })).text();
    await (await say(`q-${n}`, { path: `/v1/q-${n}/${echo.apiKey}?q=q-${n}` })).text();
    await (await say(`q-${n}`, { path: `/q-${n}` })).text();
    await (await say(`q-${n}`, { method: "PUT", path: `/v1/echo?q-${n}=${echo.apiKey}` })).text();
  };
  await ask(0);
  await logged(4);
  await samples(); // the first one is a connection of its own
  const before = (await samples()).length;
  for (let n = 1; n < 20; n++) await ask(n);
  const lines = await logged(80);
  const after = await samples();
  expect(after).toHaveLength(before);
  expect(JSON.stringify(after)).not.toMatch(/q-\d|ml_/);
  const paths = lines.map((line) => JSON.parse(line).path as string);
  expect(paths).toContain("/v1/q-7/ml_…");
  const rest = lines.map((line) => line.replace(/"path":"[^"]*"/, ""));
  expect(rest.join("")).not.toMatch(/q-\d|ml_|say/);
  expect(lines.join("")).not.toContain(echo.apiKey);
});

test("a line of the log has what one asks of a call, by the clock that was given", async () => {
  const echo = echoService((say) => {
    if (say === "break") throw new TypeError("secret");
    return say;
  });
  const { say, logged } = await start(echo);
  const ok = await say("hi", { path: "/v1/echo" });
  await ok.text();
  await (await say("break")).text();
  const [first, second] = (await logged(2)).map((line) => JSON.parse(line));
  expect(first).toEqual({
    time: "1970-01-01T00:00:00.000Z",
    level: "info",
    event: "request",
    request_id: ok.headers.get("x-request-id"),
    method: "POST",
    path: "/v1/echo",
    endpoint: "echo",
    status: 200,
    code: "ok",
    charged_usd: "0.010000",
    ms: expect.any(Number),
    stages: Object.fromEntries(
      ["receive", "authenticate", "admit", "hold", "read", "confirm", "charge", "write"].map((stage) => [
        stage,
        expect.any(Number),
      ]),
    ),
  });
  expect(second).toMatchObject({ level: "error", status: 500, code: "internal_error", error: "TypeError" });
  expect(second.frames[0]).toMatch(/^at .*operations\.test\.ts/);
  expect(JSON.stringify(second)).not.toContain("secret");
});

test("a key in a path is in no line, however it is encoded", async () => {
  const { echo, say, logged } = await start();
  const encoded = (text: string) => text.replace(/./g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  const secret = echo.apiKey.slice(3);
  const forms = [
    echo.apiKey,
    `ml%5f${secret}`,
    `ml%5F${secret}`,
    `%6dl_${encoded(secret)}`,
    encoded(echo.apiKey),
    encoded(echo.apiKey).replaceAll("%", "%25"),
  ];
  for (const form of forms) await (await say("hi", { path: `/v1/raw/${form}/x` })).text();
  // What is no percent code is shown as it came.
  await (await say("hi", { path: "/v1/raw/%zz/%5/%e4%b8/ml_" })).text();
  const paths = (await logged(forms.length + 1)).map((line) => JSON.parse(line).path as string);
  expect(paths).toEqual([...forms.map(() => "/v1/raw/ml_…/x"), "/v1/raw/%zz/%5/%e4%b8/ml_"]);
});

test("a log for people is one line too, whatever a path has in it", async () => {
  const { say, logged } = await start(undefined, "text");
  await (await say("hi", { path: "/v1/%0A\u001b[2J x" })).text();
  const [line] = await logged(1);
  expect(line).toMatch(
    /^1970-01-01T00:00:00.000Z info request request_id=\S+ method=POST path=\/v1\/%0A\S+ status=404 code=not_found charged_usd=0.000000 ms=\S+ stages=receive:\S+\n$/,
  );
});

test("calls under way are counted with what they hold; one that was left is aborted and logged", async () => {
  let arrived = () => {};
  const there = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const echo = echoService(
    (_say, { signal }) =>
      new Promise((_, reject) => {
        signal!.addEventListener("abort", () => reject(signal!.reason));
        arrived();
      }),
  );
  const { say, logged, sample } = await start(echo);
  const leave = new AbortController();
  const left = say("hi", { signal: leave.signal });
  await there;
  expect(await sample("mirrorlake_calls_in_flight")).toBe(1);
  expect(await sample("mirrorlake_held_microusd")).toBe(10_000);
  leave.abort();
  await expect(left).rejects.toThrow();
  const [line] = await logged(1);
  expect(JSON.parse(line!)).toMatchObject({ code: "aborted", cut: true, charged_usd: "0.000000" });
  expect(await sample("mirrorlake_calls_in_flight")).toBe(0);
  expect(await sample("mirrorlake_held_microusd")).toBe(0);
  expect(await sample("mirrorlake_calls_total", { status: "none", code: "aborted" })).toBe(1);
  expect(await sample("mirrorlake_http_requests_total", { status: "cut" })).toBe(1);
});

test("readiness: starting, ready, away with the reason, draining; health stays", async () => {
  let problem: Error | undefined;
  let asked = 0;
  const { server, operations, readiness, sample } = await start();
  const get = async (base: string, path: string) => {
    const response = await fetch(`${base}${path}`);
    return [response.status, await response.json()] as const;
  };
  expect(await get(operations.url, "/readyz")).toMatchObject([503, { status: "starting" }]);
  expect((await get(server.url, "/readyz"))[0]).toBe(503);
  const checks = async () => {
    asked += 1;
    if (problem !== undefined) throw problem;
  };
  readiness.serve({ lake: checks, account: async () => {} });
  expect(await get(operations.url, "/readyz")).toMatchObject([
    200,
    {
      status: "ready",
      checks: [
        { name: "lake", ok: true },
        { name: "account", ok: true },
      ],
    },
  ]);
  expect(await sample("mirrorlake_ready")).toBe(1);
  await Promise.all(Array.from({ length: 20 }, () => get(operations.url, "/readyz")));
  expect(asked).toBe(1); // probes in the same second are one question
  readiness.drain();
  expect(await get(operations.url, "/readyz")).toMatchObject([503, { status: "draining" }]);
  expect(await get(server.url, "/readyz")).toMatchObject([503, { status: "draining" }]);
  expect(await get(server.url, "/healthz")).toMatchObject([200, { status: "alive" }]);
  expect((await fetch(`${server.url}/readyz`)).headers.get("connection")).toBe("close");
  expect([await sample("mirrorlake_ready"), await sample("mirrorlake_draining")]).toEqual([0, 1]);
});

test("a need that fails or is silent is told by its name, its code, and no password; callers of the API hear the state alone", async () => {
  let now = 0;
  const readiness = new Readiness(() => now, 50);
  let silent = false;
  readiness.serve({
    lake: () => (silent ? new Promise(() => {}) : Promise.resolve()),
    account: async () => {
      throw new LakeError("account_unreachable", "The account postgres://db cannot be reached", {
        value: 1,
        remedy: "",
      });
    },
  });
  expect(await readiness.report()).toEqual({
    state: "unready",
    checks: [
      { name: "lake", ok: true, ms: 0 },
      {
        name: "account",
        ok: false,
        ms: 0,
        problem: "account_unreachable: The account postgres://db cannot be reached",
      },
    ],
  });
  silent = true;
  now = 5_000;
  const { checks } = await readiness.report();
  expect(checks[0]).toMatchObject({ ok: false, problem: "no answer in 50 ms" });
  const server = await startServer(echoService().service, { readiness });
  closing.push(() => server.close(0));
  const response = await fetch(`${server.url}/readyz`);
  expect([response.status, await response.json()]).toEqual([503, { status: "unready" }]);
});

test("probes and metrics are read, by GET and HEAD", async () => {
  const { server, operations } = await start();
  for (const address of [
    ...["/healthz", "/readyz"].flatMap((path) => [`${server.url}${path}`, `${operations.url}${path}`]),
    `${operations.url}/metrics`,
  ])
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const response = await fetch(address, { method, body: method === "POST" ? "x" : null });
      expect([response.status, response.headers.get("allow"), await response.json()]).toEqual([
        405,
        "GET, HEAD",
        { detail: "Method Not Allowed" },
      ]);
    }
  const head = await fetch(`${server.url}/healthz`, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

test("the port of operations answers its own hosts, its own paths and reads alone; the service has no metrics", async () => {
  const { server, operations } = await start();
  const status = async (path: string, init?: RequestInit) =>
    (await fetch(`${operations.url}${path}`, init)).status;
  expect(await status("/metrics")).toBe(200);
  expect(await status("/metrics", { method: "HEAD" })).toBe(200);
  expect(await status("/metrics", { method: "POST", body: "x" })).toBe(405);
  expect(await status("/v1/echo")).toBe(404);
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  const { request } = await import("node:http");
  const asHost = (host: string) =>
    new Promise((resolve, reject) => {
      const ask = request(`${operations.url}/metrics`, { headers: { host } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      ask.on("error", reject).end();
    });
  expect(await asHost("evil.example")).toBe(421);
  expect(await asHost("lake-1:9464")).toBe(200);
});
