import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { type RunningServer, sliceFiles, startServer } from "../../src/index.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { type SmallSet, smallSet } from "../transfer/small-set.js";

let set: SmallSet;
let lake: LakeClient;
let server: RunningServer;
beforeAll(async () => {
  set = await smallSet(0, 60);
  const path = join(set.dir, "lake");
  await installSlices([set.slices], { lake: path });
  lake = await openLake(path, { account: "memory" });
  server = await startServer(lake.service, { files: sliceFiles(lake) });
});
afterAll(async () => {
  await server?.close(0);
  await lake?.close();
  await set?.remove();
});

/** Headers of a connection, and those that differ between any two answers. */
const APART = new Set(["connection", "date", "keep-alive", "transfer-encoding", "x-request-id"]);

async function seen(door: typeof fetch, path: string, init: RequestInit) {
  const response = await door(`${server.url}${path}`, init);
  const headers = [...response.headers].filter(([name]) => !APART.has(name));
  const body = (await response.text()).replace(/"request_id":"[^"]*"/, "");
  return { status: response.status, headers: Object.fromEntries(headers), body };
}

describe("lake.fetch and the files of slices", () => {
  it("follows the download_url of a slice, to the manifest and each of its files", async () => {
    const { data } = await lake.slices({ limit: 1 });
    const { download_url, ...manifest } = data.items[0]!;
    const headers = { authorization: `Bearer ${lake.apiKey}` };
    const response = await lake.fetch(`https://api.example.com/base${download_url}`, { headers });
    expect(await response.json()).toEqual(manifest);
    for (const { path, bytes } of manifest.resources) {
      const url = download_url!.replace(/[^/]*$/, path);
      const file = await lake.fetch(url, { headers });
      expect((await file.arrayBuffer()).byteLength).toBe(bytes);
    }
  });

  it("answers as a server does", async () => {
    const key = { "x-api-key": lake.apiKey };
    const { data } = await lake.slices({ limit: 1 });
    const url = data.items[0]!.download_url!;
    const whole = await seen(fetch, url, { headers: key });
    expect(whole.status).toBe(200);
    for (const [path, init] of [
      [url, { headers: key }],
      [url, { headers: { ...key, range: "bytes=3-9" } }],
      [url, { headers: { ...key, range: "bytes=99999999-" } }],
      [url, { headers: { ...key, "if-none-match": whole.headers.etag! } }],
      [url, { headers: { ...key, "if-match": '"other"' } }],
      [url, { headers: key, method: "HEAD" }],
      [url, { headers: key, method: "POST" }],
      [url, {}],
      [url, { headers: { "x-api-key": lake.account.sessionKey(["search"]) } }],
      ["/datasets/index.json", { headers: key }],
      ["/datasets/", { headers: key }],
      [`/datasets/${"0".repeat(64)}/datapackage.json`, { headers: key }],
    ] as const) {
      const name = `${path} ${JSON.stringify(init)}`;
      expect(await seen(lake.fetch as typeof fetch, path, init), name).toEqual(await seen(fetch, path, init));
    }
  });

  it("finds none after the lake was closed", async () => {
    const other = await openLake(lake.lake.path, { account: "memory" });
    await other.close();
    const headers = { "x-api-key": other.apiKey };
    await expect(other.fetch("/datasets/index.json", { headers })).rejects.toMatchObject({
      code: "lake_closed",
    });
  });
});
