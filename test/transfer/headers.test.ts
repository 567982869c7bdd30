import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createPullHeaders } from "../../src/cli/transfer/pull-headers.js";
import { systemEnvironment } from "../../src/transfer/source/environment.js";
import { HttpClient } from "../../src/transfer/source/http-client.js";

const seen: { host: "own" | "other"; path: string; headers: IncomingHttpHeaders }[] = [];
const servers: Server[] = [];
const bases: string[] = [];
beforeAll(async () => {
  for (const host of ["own", "other"] as const) {
    const server = createServer((request, answer) => {
      const path = request.url ?? "";
      seen.push({ host, path, headers: request.headers });
      if (path === "/elsewhere") answer.writeHead(302, { location: `${bases[1]}/file` }).end();
      else if (path === "/here") answer.writeHead(302, { location: "/file" }).end();
      else answer.end("bytes");
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    servers.push(server);
    bases.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
});
afterAll(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

const ask = async (url: string) => {
  seen.length = 0;
  const client = new HttpClient({
    environment: systemEnvironment,
    stallMs: 5_000,
    key: "ml_key",
    headers: { "x-storage-token": "secret" },
    origin: bases[0],
  });
  await client.exchange(url, { Range: "bytes=0-3" }, async ({ body }) => {
    for await (const _ of body);
  });
  return seen.map(({ host, headers }) => [
    host,
    headers["x-storage-token"],
    headers.authorization,
    headers.range,
  ]);
};

it("headers of the caller go to the origin of the source, also when it redirects within", async () => {
  const own = ["own", "secret", "Bearer ml_key", "bytes=0-3"];
  expect(await ask(`${bases[0]}/file`)).toEqual([own]);
  expect(await ask(`${bases[0]}/here`)).toEqual([own, own]);
});

it("they never go to another origin: not after a redirect, not for a file that is elsewhere", async () => {
  const own = ["own", "secret", "Bearer ml_key", "bytes=0-3"];
  const other = ["other", undefined, undefined, "bytes=0-3"];
  expect(await ask(`${bases[0]}/elsewhere`)).toEqual([own, other]);
  expect(await ask(`${bases[1]}/file`)).toEqual([other]);
});

it("the environment has one header a line, and a wrong line is not repeated in the error", () => {
  expect(createPullHeaders("X-A: 1\n\nx-b:two: three\r\n")).toEqual({ "X-A": "1", "x-b": "two: three" });
  expect(createPullHeaders(undefined)).toBeUndefined();
  expect(() => createPullHeaders("X-A: 1\nsecret")).toThrow("Line 2 of $MIRRORLAKE_PULL_HEADERS");
  expect(() => createPullHeaders("X-A: 1\nsecret")).not.toThrow("secret");
});
