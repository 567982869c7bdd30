import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";
import { type ServedConsole, serveConsole } from "./open-console.js";

let lake: TemporaryLake;
let served: ServedConsole;
beforeAll(async () => {
  lake = await temporarySampleLake();
  served = await serveConsole(lake.path);
});
afterAll(async () => {
  await served?.close();
  await lake?.remove();
});

interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends a request as any program could: `fetch` would not let a test set Host and Origin. */
function send(
  path: string,
  {
    method = "GET",
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${served.url}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode!, headers: response.headers, text });
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}

const json = (extra: Record<string, string> = {}) => ({
  origin: served.url,
  "content-type": "application/json",
  ...extra,
});

async function session(): Promise<string> {
  const { status, headers } = await send("/console/api/session", {
    method: "POST",
    headers: json(),
    body: JSON.stringify({ token: served.token }),
  });
  expect(status).toBe(204);
  return String(headers["set-cookie"]);
}

const cookie = async () => (await session()).split(";")[0]!;

describe("the console", () => {
  test("gives a session for the token alone, in a cookie that neither scripts nor other sites can use", async () => {
    const set = await session();
    // Without a path it is for the folder of its address, wherever a proxy has that.
    expect(set).toMatch(/^mirrorlake_console_\d+=[0-9A-Za-z]{32}; HttpOnly; SameSite=Strict$/);
    expect(set).not.toContain(served.token);
    expect(set).toContain(new URL(served.url).port);
  });

  test.each([
    ["wrong", "x".repeat(32)],
    ["empty", ""],
    ["of another type", 7],
    ["longer", "y".repeat(500)],
  ])("refuses a token that is %s", async (_name, token) => {
    const answer = await send("/console/api/session", {
      method: "POST",
      headers: json(),
      body: JSON.stringify({ token }),
    });
    expect([400, 401]).toContain(answer.status);
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });

  test("answers nothing without a session, with a wrong one, or after it was closed", async () => {
    const path = "/console/api/keys";
    const refused = async (headers: Record<string, string>) => {
      const { status, text } = await send(path, { headers });
      expect(status).toBe(401);
      expect(JSON.parse(text)).toMatchObject({ error: { code: "console_session" } });
    };
    await refused({});
    await refused({ cookie: `mirrorlake_console_${new URL(served.url).port}=${"a".repeat(32)}` });
    await refused({ cookie: `mirrorlake_console_${new URL(served.url).port}=${served.token}` });
    await refused({ authorization: `Bearer ${served.token}` });
    const own = await cookie();
    expect((await send(path, { headers: { cookie: own } })).status).toBe(200);
    const closed = await send("/console/api/session", { method: "DELETE", headers: json({ cookie: own }) });
    expect(closed.status).toBe(204);
    await refused({ cookie: own });
  });

  test.each([
    ["a page of another site", { "sec-fetch-site": "cross-site" }],
    ["a page on another port of this machine", { "sec-fetch-site": "same-site" }],
    ["an address typed or a bookmark", { "sec-fetch-site": "none" }],
    ["another origin", { origin: "http://127.0.0.1:1" }],
    ["an opaque origin", { origin: "null" }],
  ])("refuses requests of %s, with a session too", async (_name, headers) => {
    const own = await cookie();
    const answer = await send("/console/api/keys", {
      headers: { cookie: own, ...(headers as unknown as Record<string, string>) },
    });
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: "console_foreign_origin" } });
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });

  test("takes the browser's word that a page is of its own origin, which it cannot compare behind a proxy", async () => {
    const headers = { "sec-fetch-site": "same-origin", origin: "https://data.example" };
    const opened = await send("/console/api/session", {
      method: "POST",
      headers: json(headers),
      body: JSON.stringify({ token: served.token }),
    });
    expect(opened.status).toBe(204);
    const own = String(opened.headers["set-cookie"]).split(";")[0]!;
    expect((await send("/console/api/keys", { headers: { ...headers, cookie: own } })).status).toBe(200);
    const others = { ...headers, "sec-fetch-site": "same-site", cookie: own };
    expect((await send("/console/api/keys", { headers: others })).status).toBe(403);
  });

  test("changes nothing without an Origin, or for a body that a form could send", async () => {
    const own = await cookie();
    const post = (headers: Record<string, string>) =>
      send("/console/api/keys/create", { method: "POST", headers, body: '{"scopes":["*"]}' });
    expect((await post({ cookie: own, "content-type": "application/json" })).status).toBe(403);
    expect((await post({ cookie: own, origin: served.url, "content-type": "text/plain" })).status).toBe(415);
    const { text } = await send("/console/api/keys", { headers: { cookie: own } });
    expect(JSON.parse(text)).toEqual([]);
  });

  test.each(["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example"])(
    "refuses the foreign Host %s",
    async (host) => {
      for (const path of ["/", "/console/search", "/console/api/lake"])
        expect((await send(path, { headers: { host } })).status).toBe(421);
    },
  );

  test("serves its page with a strict policy, and nothing in it that needs a session", async () => {
    const first = await send("/");
    const policy = String(first.headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).toContain("trusted-types 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(first.headers["x-content-type-options"]).toBe("nosniff");
    expect(first.headers["referrer-policy"]).toBe("no-referrer");
    expect(first.text).not.toContain(served.token);
    const nonce = /'nonce-([^']+)'/.exec(policy)![1];
    expect(first.text).toContain(`nonce="${nonce}"`);
    expect((await send("/")).headers["content-security-policy"]).not.toBe(policy);
  });

  test.each([
    ["/", "./"],
    ["/console", "./"],
    ["/console/", "../"],
    ["/console/search", "../"],
    ["/console/search/", "../../"],
  ])("names its files relative to the page, which a proxy may have anywhere: %s", async (path, root) => {
    const { text } = await send(path);
    const named = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address!);
    const own = named.filter((address) => !address.startsWith("data:"));
    expect(own.length).toBeGreaterThan(2);
    for (const address of own) {
      expect(address.startsWith(`${root}console/assets/`) || address === `${root}docs`, address).toBe(true);
      const { status } = await send(new URL(address, `http://x${path}`).pathname);
      expect(status).toBe(200);
    }
  });

  test.each([
    "../../package.json",
    "..%2f..%2fpackage.json",
    "%2e%2e/index.html",
    "a/../../index.html",
    "index.html",
  ])("serves no file but its own: %s", async (name) => {
    const { status, text } = await send(`/console/assets/${name}`);
    // A path that leaves the folder of assets is that of a view, whose page says that there is none.
    if (status === 200) expect(text).toContain('<div id="app">');
    else expect(status).toBe(404);
  });

  test("refuses what is too large, not JSON, or unknown", async () => {
    const own = await cookie();
    const post = (path: string, body: string) =>
      send(`/console/api/${path}`, { method: "POST", headers: json({ cookie: own }), body });
    expect((await post("sql", JSON.stringify({ text: "x".repeat(300_000) }))).status).toBe(413);
    expect((await post("sql", "{")).status).toBe(400);
    expect((await post("sql", '{"text":"SELECT 1","more":1}')).status).toBe(400);
    expect((await post("nothing", "{}")).status).toBe(404);
    expect((await post("keys", "{}")).status).toBe(405);
    expect((await send("/", { method: "POST", headers: json() })).status).toBe(405);
  });
});
