import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { connect as connectSocket, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Hono } from "hono";
import { afterEach, expect, test, vi } from "vitest";
import { createFetch } from "../../src/client/lake-fetch.js";
import { isOwnHost } from "../../src/http/host-check.js";
import { type RunningServer, type ServerOptions, startServer } from "../../src/http/server.js";
import { JsonBodyWriter } from "../../src/service/json-body.js";
import { MAX_BODY_BYTES } from "../../src/service/read-params.js";
import { type EchoService, echoService } from "../service/echo-service.js";

const open: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(0)));
});

async function start(options: ServerOptions = {}, echo: EchoService = echoService()) {
  const server = await startServer(echo.service, options);
  open.push(server);
  const say = (init: RequestInit & { path?: string } = {}) =>
    fetch(`${server.url}${init.path ?? "/v1/echo"}`, {
      method: "POST",
      body: JSON.stringify({ say: "hi" }),
      ...init,
      headers: { "x-api-key": echo.apiKey, "content-type": "application/json", ...init.headers },
    });
  return { ...echo, server, say };
}

/** Sends bytes as they are and reads until the server closes. */
async function raw(server: RunningServer, bytes: string): Promise<string> {
  const socket = connectSocket(server.port, "127.0.0.1");
  socket.write(bytes);
  return text(socket);
}

const request = (lines: readonly string[], body = "") => `${lines.join("\r\n")}\r\n\r\n${body}`;
const codeOf = async (response: Response) =>
  ((await response.json()) as { error: { code: string } }).error.code;

test("it listens on loopback and answers an envelope with its headers", async () => {
  const { server, say } = await start();
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  const response = await say();
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("x-service-charged")).toBe("0.010000");
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
  const body = (await response.json()) as { request_id: string };
  expect(body).toMatchObject({ data: "hi", meta: { charged_usd: "0.010000" } });
  expect(response.headers.get("x-request-id")).toBe(body.request_id);
});

test("vectors come as JSON numbers", async () => {
  const vec = Float32Array.of(0.5, -0.25, 1e-7);
  const { say } = await start(
    {},
    echoService(() => [{ id: "soc_shv_1", vec }]),
  );
  const body = (await (await say()).json()) as { data: { vec: number[] }[] };
  expect(body.data[0]?.vec).toEqual([0.5, -0.25, 1e-7]);
});

test.each(["PUT", "DELETE", "PATCH", "OPTIONS"])(
  "%s is a 405 to the byte, with or without a key",
  async (method) => {
    const { server, say } = await start();
    for (const response of [await say({ method }), await fetch(`${server.url}/v1/nowhere`, { method })]) {
      expect(response.status).toBe(405);
      expect(await response.text()).toBe('{"detail":"Method Not Allowed"}');
      expect(response.headers.get("content-type")).toBe("application/json");
    }
  },
);

test("HEAD is a 405 without a body", async () => {
  const { server } = await start();
  const answer = await raw(
    server,
    request(["HEAD /v1/echo HTTP/1.1", "Host: localhost", "Connection: close"]),
  );
  expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
  expect(answer.endsWith("\r\n\r\n")).toBe(true);
});

test("the drop-in fetch answers a POST without a body, and HEAD, as the server does", async () => {
  const { service, server, apiKey } = await start();
  const headers = { "x-api-key": apiKey };
  for (const door of [fetch, createFetch(service, new JsonBodyWriter())]) {
    const bare = await door(`${server.url}/v1/echo`, { method: "POST", headers });
    expect(await bare.json()).toMatchObject({ error: { message: "body: required" } });
    const head = await door(`${server.url}/v1/echo`, { method: "HEAD", headers });
    expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([
      405,
      "application/json",
      "",
    ]);
  }
});

test("the drop-in fetch answers a path that is none of the service's as the server does", async () => {
  const { service, server, apiKey } = await start();
  const headers = { "x-api-key": apiKey };
  const answers = async (door: typeof fetch, path: string, method = "GET") => {
    const { status, headers: sent, url } = await door(`${server.url}${path}`, { method, headers });
    return { status, type: sent.get("content-type"), url };
  };
  const here = createFetch(service, new JsonBodyWriter()) as typeof fetch;
  for (const path of ["/V1/echo", "/v2/echo", "/v1", "/v1/nothing"])
    expect(await answers(here, path), path).toEqual(await answers(fetch, path));
  expect(await answers(here, "/V1/echo", "PUT")).toEqual(await answers(fetch, "/V1/echo", "PUT"));
  for (const door of [fetch, here]) {
    expect(await (await door(`${server.url}/V1/echo`, { headers })).json()).toEqual({ detail: "Not Found" });
    const head = await door(`${server.url}/V1/echo`, { method: "HEAD", headers });
    expect([head.status, await head.text()]).toEqual([404, ""]);
  }
});

test("an unexpected exception is plain text", async () => {
  const { say, errors } = await start(
    {},
    echoService(() => {
      throw new RangeError("secret detail");
    }),
  );
  const response = await say();
  expect(response.status).toBe(500);
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(await response.text()).toBe("Internal Server Error");
  expect(errors).toHaveLength(1);
});

test("a key is read from both headers; a Bearer credential wins over x-api-key", async () => {
  const { apiKey, say } = await start();
  const status = async (headers: Record<string, string>) =>
    (await say({ headers: { "x-api-key": "", ...headers } })).status;
  expect(await status({ authorization: `Bearer ${apiKey}` })).toBe(200);
  expect(await status({ authorization: `bearer   ${apiKey}` })).toBe(200);
  expect(await status({ "x-api-key": apiKey })).toBe(200);
  expect(await status({ authorization: `Bearer ${apiKey}`, "x-api-key": "ml_wrong" })).toBe(200);
  expect(await status({ authorization: "Bearer ml_wrong", "x-api-key": apiKey })).toBe(401);
  expect(await status({ authorization: "Bearer", "x-api-key": apiKey })).toBe(401);
  expect(await status({ authorization: "Basic dXNlcjpwYXNz", "x-api-key": apiKey })).toBe(200);
  expect(await status({ authorization: apiKey })).toBe(401);
  expect(await status({})).toBe(401);
});

test("a key that is sent twice is refused, with a hint", async () => {
  const { apiKey, server } = await start();
  const key = `X-Api-Key: ${apiKey}\r\n`;
  const lines = `POST /v1/echo HTTP/1.1\r\nHost: localhost:\r\n${key}${key}Content-Length: 0\r\nConnection: close\r\n\r\n`;
  const answer = await raw(server, lines);
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  expect(answer).toMatch(/x-mirrorlake-hint: .*sent twice/i);
});

test("a bad body is told only after the key, the path and the scope", async () => {
  const { account, server, say } = await start();
  const bad = { method: "POST", body: "{" };
  const other = account.sessionKey(["datasets"]);
  expect(await codeOf(await fetch(`${server.url}/v1/echo`, bad))).toBe("invalid_api_key");
  expect(await codeOf(await say({ ...bad, path: "/v1/other" }))).toBe("not_found");
  expect(await codeOf(await say({ ...bad, headers: { "x-api-key": other } }))).toBe("forbidden");
  expect(await codeOf(await say(bad))).toBe("invalid_params");
});

test("a body over the limit is refused without being read to its end", async () => {
  const { apiKey, server, say } = await start();
  const response = await say({ body: JSON.stringify({ say: "x".repeat(MAX_BODY_BYTES) }) });
  expect(await response.json()).toMatchObject({
    error: { code: "invalid_params", message: `body: must have at most ${MAX_BODY_BYTES} bytes` },
  });
  const socket = connectSocket(server.port, "127.0.0.1");
  const head = [
    "POST /v1/echo HTTP/1.1",
    "Host: localhost",
    `x-api-key: ${apiKey}`,
    "Content-Length: 999999999",
  ];
  socket.write(request(head, "y".repeat(MAX_BODY_BYTES + 10)));
  const answer = await text(socket); // the server closes although the body is not complete
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toMatch(/connection: close/i);
});

test("a chunked body is read", async () => {
  const { apiKey, server } = await start();
  const head = ["POST /v1/echo HTTP/1.1", "Host: localhost", `x-api-key: ${apiKey}`, "Connection: close"];
  const answer = await raw(
    server,
    request([...head, "Transfer-Encoding: chunked"], '6\r\n{"say"\r\n7\r\n:"ho!"}\r\n0\r\n\r\n'),
  );
  expect(answer).toContain('"data":"ho!"');
});

test("an absolute request target is the same as its path", async () => {
  const { apiKey, server } = await start();
  const line = `GET http://localhost:${server.port}/v1/ask?say=a%20b+c HTTP/1.1`;
  const answer = await raw(
    server,
    request([line, "Host: localhost", `x-api-key: ${apiKey}`, "Connection: close"]),
  );
  expect(answer).toContain('"data":"a b c"');
});

test("a name that is not ours is refused before anything else", async () => {
  const { server } = await start({ allowedHosts: ["lake.example"] });
  const status = async (host: string) =>
    (await raw(server, request(["GET /v1/ask HTTP/1.1", `Host: ${host}`, "Connection: close"]))).slice(9, 12);
  expect(await status("evil.example")).toBe("421");
  expect(await status(`evil.example:${server.port}`)).toBe("421");
  expect(await status("lake.example")).toBe("401");
  expect(await status("LOCALHOST:1")).toBe("401");
});

test.each([
  ["localhost", true],
  ["localhost:8080", true],
  ["localhost:", true],
  ["[::1]:", true],
  ["evil.example:", false],
  ["app.localhost", true],
  ["127.0.0.1", true],
  ["[::1]:8080", true],
  ["192.168.1.5:80", true],
  ["lake.example.", true],
  ["evil.example", false],
  ["localhost.evil.example", false],
  ["evil-localhost", false],
  ["user@localhost", false],
  ["127.0.0.1.evil.example", false],
  ["", false],
  [undefined, false],
])("host %s is ours: %s", (host, ours) => {
  expect(isOwnHost(host, new Set(["lake.example"]))).toBe(ours);
});

test("names that are allowed are compared as requests' names are", async () => {
  const { server } = await start({
    allowedHosts: ["Lake.Example.", "lake_1", "192.168.1.5", "[::1]", "::1"],
  });
  for (const host of ["lake.example", "lake.example.:80", "LAKE_1"])
    expect(
      await raw(server, request(["GET /v1/ask HTTP/1.1", `Host: ${host}`, "Connection: close"])),
    ).toMatch(/^HTTP\/1.1 401/);
});

test.each([
  ["lake.example:8080", '"lake.example"'],
  ["http://lake.example", '"lake.example"'],
  ["http://lake.example:8080/v1", '"lake.example"'],
  ["bücher.example", '"xn--bcher-kva.example"'],
  ["*.example", "there are no wildcards"],
  ["*", "there are no wildcards"],
  [" ", "the name of one host"],
  ["a.example, b.example", "the name of one host"],
])("the host %s, which no request has, is refused with what is meant", async (host, meant) => {
  await expect(start({ allowedHosts: ["localhost", host] })).rejects.toMatchObject({
    code: "invalid_options",
    value: host,
    message: expect.stringContaining("allowedHosts[1]") as string,
    remedy: expect.stringContaining(meant) as string,
  });
});

test.each([
  ["http://localhost:5173/", '"http://localhost:5173"'],
  ["localhost:5173", '"http://localhost:5173"'],
  ["http://LOCALHOST:5173", '"http://localhost:5173"'],
  ["http://app.example:80", '"http://app.example"'],
  ["https://app.example/page?x=1", '"https://app.example"'],
  ["https://bücher.example", '"https://xn--bcher-kva.example"'],
  ["http://a, http://b", "must be one origin"],
  ["http://*.example", "must be one origin"],
  ["file:///tmp/page.html", "must be one origin"],
  [" ", "must be one origin"],
  ["", "must be one origin"],
])("the origin %s, which no browser sends, is refused with what is meant", async (origin, meant) => {
  await expect(start({ cors: ["http://app.example", origin] })).rejects.toMatchObject({
    code: "invalid_options",
    value: origin,
    message: expect.stringContaining("cors[1]") as string,
    remedy: expect.stringContaining(meant) as string,
  });
});

test.each([
  ["null", ["null"]],
  ["chrome-extension://abcdefgh", ["chrome-extension://abcdefgh"]],
  ["http://[::1]:5173", ["http://[::1]:5173"]],
  ["http://any.example", ["http://app.example", "*"]],
])("the origin %s may call a server for %j", async (origin, cors) => {
  const { say } = await start({ cors });
  const answer = await say({ headers: { origin } });
  expect([origin, "*"]).toContain(answer.headers.get("access-control-allow-origin"));
});

test("CORS is there when it is asked for, for the origins that were named", async () => {
  const { say } = await start({ cors: ["http://app.example"] });
  const preflight = { "access-control-request-method": "POST" };
  const allowed = await say({ method: "OPTIONS", headers: { origin: "http://app.example", ...preflight } });
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get("access-control-allow-origin")).toBe("http://app.example");
  expect(allowed.headers.get("access-control-allow-headers")).toMatch(/If-None-Match.*X-Api-Key/);
  const other = await say({ method: "OPTIONS", headers: { origin: "http://other.example", ...preflight } });
  expect(other.status).toBe(405);
  expect(other.headers.get("access-control-allow-origin")).toBeNull();
  const call = await say({ headers: { origin: "http://app.example" } });
  expect([call.status, call.headers.get("access-control-allow-origin")]).toEqual([200, "http://app.example"]);
});

test("a page may read every header of the library's own", async () => {
  const { say } = await start({ cors: "*" });
  const answer = await say({ headers: { origin: "http://app.example" } });
  const exposed = answer.headers.get("access-control-expose-headers")!.split(", ");
  const named = new Set<string>();
  for (const folder of ["endpoints", "service"]) {
    const root = fileURLToPath(new URL(`../../src/${folder}`, import.meta.url));
    for (const file of await readdir(root, { recursive: true })) {
      if (!file.endsWith(".ts")) continue;
      for (const [, name] of (await readFile(join(root, file), "utf8")).matchAll(/"(X-Mirrorlake-[\w-]+)"/g))
        named.add(name!);
    }
  }
  expect(named.size).toBeGreaterThan(4);
  expect(exposed).toEqual(expect.arrayContaining([...named]));
});

test("a client that sends its headers too slowly is cut off", async () => {
  const { server } = await start({ headersTimeoutMs: 100, requestTimeoutMs: 200 });
  expect(await raw(server, "GET /v1/ask HTTP/1.1\r\nHost: localhost\r\n")).toMatch(/^HTTP\/1\.1 408 /);
});

test("a client that does not send its body is cut off", async () => {
  const { apiKey, server } = await start({ headersTimeoutMs: 100, requestTimeoutMs: 200 });
  const head = ["POST /v1/echo HTTP/1.1", "Host: localhost", `x-api-key: ${apiKey}`, "Content-Length: 10"];
  expect(await raw(server, request(head, "{"))).toMatch(/^HTTP\/1\.1 408 /);
});

test("a client that does not read its answer is cut off", { tags: "slow" }, async () => {
  const huge = "z".repeat(80_000_000); // more than the sockets between us hold
  let called = false;
  const { apiKey, server } = await start(
    { idleTimeoutMs: 200 },
    echoService(() => {
      called = true;
      return huge;
    }),
  );
  const socket = connectSocket(server.port, "127.0.0.1");
  socket.pause();
  const head = ["GET /v1/ask?say=x HTTP/1.1", "Host: localhost", `x-api-key: ${apiKey}`];
  socket.write(request(head));
  while (!called) await new Promise(setImmediate);
  await server.close(2 ** 30); // waits for its connections, so for the cut
  socket.on("error", () => {}); // cut off may look like a reset
  const read = await text(socket).catch(() => "");
  expect(read.length).toBeLessThan(huge.length);
});

test.each([
  [{}, "timeout=5"],
  [{ keepAliveTimeoutMs: 75_000 }, "timeout=75"],
])("with %j an idle connection is kept for %s seconds", async (options, kept) => {
  const { say } = await start(options);
  const response = await say();
  await response.text();
  expect(response.headers.get("keep-alive")).toBe(kept);
});

test("ids that throw are a 500, and onError hears of it", async () => {
  const told: unknown[] = [];
  const echo = echoService(undefined, {}, () => {
    throw new Error("no ids");
  });
  const { errors, say } = await start({ onError: (error) => told.push(error) }, echo);
  const response = await say();
  expect([response.status, await response.text()]).toEqual([500, "Internal Server Error"]);
  expect(response.headers.get("x-request-id")).toBe("00000000-0000-0000-0000-000000000000");
  expect(errors).toEqual([new Error("no ids")]);
  expect(told).toEqual([]);
  expect((await say({ headers: { "x-request-id": "mine" } })).status).toBe(200);
});

test("a call whose client goes away is given up and not charged", async () => {
  let abandoned: Promise<unknown> | undefined;
  const echo = echoService((_say, { signal }) => {
    abandoned = once(signal as unknown as EventTarget, "abort");
    return abandoned.then(() => "too late");
  });
  const { account, apiKey, server } = await start({}, echo);
  const socket: Socket = connectSocket(server.port, "127.0.0.1");
  const before = (await account.state()).balance;
  const head = ["POST /v1/echo HTTP/1.1", "Host: localhost", `x-api-key: ${apiKey}`, "Content-Length: 9"];
  socket.write(request(head, '{"say":1}'));
  while (abandoned === undefined) await new Promise(setImmediate);
  socket.destroy();
  await abandoned;
  await server.close();
  expect((await account.state()).balance).toBe(before);
});

test("an onRequest that throws is told to onError, and the server answers and closes as ever", async () => {
  const told: unknown[] = [];
  let reached = () => {};
  const inside = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const { server, say } = await start({
    site: new Hono().get("/hang", () => {
      reached();
      return new Promise<Response>(() => {});
    }),
    onRequest: ({ path }) => {
      throw new Error(`logger down at ${path}`);
    },
    onError: (error) => told.push((error as Error).message),
  });
  expect((await say()).status).toBe(200);
  const hanging = fetch(`${server.url}/hang`).catch(() => "cut");
  await inside;
  await server.close(0);
  expect(await hanging).toBe("cut");
  expect(told).toEqual(["logger down at /v1/echo", "logger down at /hang"]);
});

test("an onError that throws is a warning of the process, and the request that it heard of is over", async () => {
  const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
  const { service, ...rest } = echoService();
  const broken = { ...service, call: () => Promise.reject(new TypeError("broken")) };
  const { say } = await start(
    {
      onError: () => {
        throw new Error("sentry down");
      },
    },
    { ...rest, service: broken },
  );
  await expect(say()).rejects.toThrow("fetch failed");
  expect(await warned).toMatchObject({ code: "hook_failed", message: "onError failed: sentry down" });
});

test("at shutdown a call under way is answered and new connections are refused", async () => {
  let release = () => {};
  const started = new Promise<void>((resolve) => {
    release = resolve;
  });
  let reached = () => {};
  const inside = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const { server, say } = await start(
    {},
    echoService(async () => {
      reached();
      await started;
      return "done";
    }),
  );
  const pending = say();
  await inside;
  const closed = server.close();
  await expect(fetch(`${server.url}/v1/ask`)).rejects.toThrow();
  release();
  const answer = await pending;
  expect(answer.headers.get("connection")).toBe("close"); // so that nothing is sent after it that gets no answer
  expect(await answer.json()).toMatchObject({ data: "done" });
  await closed;
});

test("paths beside /v1 belong to the site", async () => {
  const site = new Hono().get("/hello", (context) => context.text("hello"));
  const { server } = await start({ site });
  expect(await (await fetch(`${server.url}/hello`)).text()).toBe("hello");
  const missing = await fetch(`${server.url}/nothing`);
  expect([missing.status, await missing.text()]).toEqual([404, '{"detail":"Not Found"}']);
});

test.each([1, 4])(
  "a body that fails after part %i ends its connection, and says so to onError alone",
  async (parts) => {
    const failure = new Error("late");
    async function* body() {
      for (let part = 0; part < parts; part++) {
        yield new TextEncoder().encode("part,".repeat(10_000));
        await new Promise(setImmediate);
      }
      throw failure;
    }
    const site = new Hono().get("/late", () => new Response(ReadableStream.from(body()) as ReadableStream));
    const errors: unknown[] = [];
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { server } = await start({ site, onError: (error) => errors.push(error) });
    const answer = await raw(server, request(["GET /late HTTP/1.1", "Host: localhost"]));
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
    expect(errors).toEqual([failure]);
    expect(answer).not.toContain("late");
    expect(answer).not.toMatch(/0\r\n\r\n$/); // the end of a whole body
    await expect(fetch(`${server.url}/late`).then((response) => response.text())).rejects.toThrow();
  },
);

test("the catalogue is described at /openapi.json, and /docs is there", async () => {
  const { server } = await start();
  const document = await fetch(`${server.url}/openapi.json`);
  expect(await document.json()).toMatchObject({ openapi: "3.1.0", info: { version: "0.1.0" } });
  const docs = await fetch(`${server.url}/docs`);
  expect([docs.status, docs.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
});

test("a port that is taken, or an address that is not ours, is an error that says so", async () => {
  const { service, server } = await start();
  await expect(startServer(service, { port: server.port })).rejects.toMatchObject({ code: "port_in_use" });
  await expect(startServer(service, { host: "203.0.113.1" })).rejects.toMatchObject({
    code: "cannot_listen",
  });
});
