import { createHash } from "node:crypto";
import { readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../src/client/connect.js";
import { sliceFiles } from "../../src/client/files/slice-files.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { SliceIndex } from "../../src/contract/slice/slice-index.js";
import type { SliceManifest } from "../../src/contract/slice/slice-manifest.js";
import { type RunningServer, startServer } from "../../src/http/server.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { publishSlices } from "../../src/transfer/publish/publish-slices.js";
import { type SmallSet, smallSet } from "../transfer/small-set.js";

let set: SmallSet;
let path: string;
let lake: LakeClient;
let server: RunningServer;
let manifest: SliceManifest;
beforeAll(async () => {
  set = await smallSet(0, 60);
  path = join(set.dir, "lake");
  await installSlices([set.slices], { lake: path });
  lake = await openLake(path);
  server = await startServer(lake.service, { files: sliceFiles(lake) });
  manifest = set.manifests.find(({ resources }) => resources.length > 1) ?? set.manifests[0]!;
});
afterAll(async () => {
  await server?.close(0);
  await lake?.close();
  await set?.remove();
});

const fileUrl = (name: string) => `${server.url}/datasets/${manifest.mirrorlake.root}/${name}`;
const get = (url: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(url, { method, headers: { "x-api-key": lake.apiKey, ...headers } });
const resource = () => manifest.resources[0]!;
const content = () => readFile(join(path, "slices", manifest.mirrorlake.root, resource().path));

describe("files of slices over HTTP", () => {
  test("a file comes whole, with its hash as a strong ETag and for caches to keep for ever", async () => {
    const response = await get(fileUrl(resource().path));
    const { headers } = response;
    expect(response.status).toBe(200);
    const sha256 = resource().hash.slice(7);
    expect(headers.get("etag")).toBe(`"${sha256}"`);
    expect(headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
    expect(headers.get("accept-ranges")).toBe("bytes");
    expect(headers.get("content-type")).toBe(resource().mediatype);
    expect(headers.get("content-length")).toBe(String(resource().bytes));
    expect(headers.get("repr-digest")).toBe(`sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`);
    const body = Buffer.from(await response.arrayBuffer());
    expect(createHash("sha256").update(body).digest("hex")).toBe(sha256);
  });

  test("a part comes as asked for, and only of the version that If-Range names", async () => {
    const url = fileUrl(resource().path);
    const whole = await content();
    const { bytes, hash } = resource();
    const part = await get(url, { range: "bytes=100-299" });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 100-299/${bytes}`]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(100, 300));
    const tail = await get(url, { range: "bytes=-5", "if-range": `"${hash.slice(7)}"` });
    expect(tail.status).toBe(206);
    expect(Buffer.from(await tail.arrayBuffer())).toEqual(whole.subarray(-5));
    for (const other of ['"another"', `W/"${hash.slice(7)}"`, "Sat, 01 Jan 2000 00:00:00 GMT"]) {
      const all = await get(url, { range: "bytes=100-", "if-range": other });
      expect(all.status).toBe(200);
      expect((await all.arrayBuffer()).byteLength).toBe(bytes);
    }
    const none = await get(url, { range: `bytes=${bytes}-` });
    expect([none.status, none.headers.get("content-range")]).toEqual([416, `bytes */${bytes}`]);
    const several = await get(url, { range: "bytes=0-1,3-4" });
    expect([several.status, (await several.arrayBuffer()).byteLength]).toEqual([200, bytes]);
  });

  test("HEAD, If-None-Match and If-Match", async () => {
    const url = fileUrl(resource().path);
    const etag = `"${resource().hash.slice(7)}"`;
    const head = await get(url, { range: "bytes=0-4" }, "HEAD");
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(resource().bytes)]);
    expect((await head.arrayBuffer()).byteLength).toBe(0);
    expect((await get(url, { "if-none-match": `W/${etag}, "x"` })).status).toBe(304);
    expect((await get(url, { "if-none-match": '"x"' })).status).toBe(200);
    expect((await get(url, { "if-match": '"x"' })).status).toBe(412);
    const post = await get(url, {}, "POST");
    expect([post.status, post.headers.get("allow"), await post.json()]).toEqual([
      405,
      "GET, HEAD",
      { detail: "Method Not Allowed" },
    ]);
  });

  test("the index and the manifests are those of a published folder", async () => {
    const response = await get(`${server.url}/datasets/index.json`);
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    const text = await response.text();
    expect(text).toBe(await readFile(join(set.out, "index.json"), "utf8"));
    expect(SliceIndex.parse(JSON.parse(text)).slices).toHaveLength(set.manifests.length);
    expect(await (await get(fileUrl("datapackage.json"))).json()).toEqual(manifest);
    const again = await get(`${server.url}/datasets/index.json`, {
      "if-none-match": response.headers.get("etag")!,
    });
    expect(again.status).toBe(304);
  });

  test("a key with the scope datasets is demanded, and nothing is charged or counted", async () => {
    const url = fileUrl(resource().path);
    const wrong = await fetch(url);
    expect([wrong.status, wrong.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(await wrong.json()).toMatchObject({
      error: { code: "invalid_api_key", message: "Invalid API key" },
    });
    const search = lake.account.sessionKey(["search"]);
    expect((await get(url, { "x-api-key": search })).status).toBe(403);
    const datasets = lake.account.sessionKey(["datasets"]);
    const before = await lake.account.state();
    for (let i = 0; i < 70; i++) {
      const response = await fetch(url, {
        headers: { authorization: `Bearer ${datasets}`, range: "bytes=0-0" },
      });
      expect(response.status).toBe(206);
      await response.arrayBuffer();
    }
    expect(await lake.account.state()).toEqual(before);
  });

  test.each([
    "/datasets/",
    "/datasets/../mirrorlake.json",
    "/datasets/%2e%2e/mirrorlake.json",
    `/datasets/${"0".repeat(64)}/records.parquet`,
    "/datasets/ROOT/../../CURRENT",
    "/datasets/ROOT/%2e%2e%2f%2e%2e%2fCURRENT",
    "/datasets/ROOT/rejects.jsonl",
    "/datasets/ROOT//records.parquet",
    "/datasets/ROOT/records.parquet/",
  ])("%s is nobody's file", async (target) => {
    const url = new URL(server.url);
    const { request } = await import("node:http");
    const status = await new Promise((resolve, reject) => {
      request({
        host: url.hostname,
        port: url.port,
        path: target.replace("ROOT", manifest.mirrorlake.root),
        headers: { "x-api-key": lake.apiKey },
      })
        .on("response", (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end();
    });
    expect(status).toBe(404);
  });

  test("the slices endpoint says where each manifest is downloaded from", async () => {
    const remote = connect({ baseUrl: server.url, apiKey: lake.apiKey });
    const { data } = await remote.slices({ domain: "web", limit: 2 });
    expect(data.items.length).toBeGreaterThan(0);
    for (const { download_url, ...listed } of data.items) {
      const response = await get(`${server.url}${download_url}`);
      expect(await response.json()).toEqual(listed);
      const file = await get(new URL(listed.resources[0]!.path, response.url).href, {}, "HEAD");
      expect(file.headers.get("content-length")).toBe(String(listed.resources[0]!.bytes));
    }
    const inProcess = await lake.slices({ domain: "web", limit: 2 });
    expect(inProcess.data).toEqual(data);
  });

  test("a slice that holds something that was removed is withheld at once", async () => {
    const [row] = lake.lake.corpus.match({ domains: ["web"] }).rows();
    const [record] = await lake.lake.corpus.records([row!]);
    await removeRecords([{ kind: "record", id: record!.id }], { lake: path, reason: "asked to" });
    const [root] = [...lake.lake.withheld.keys()];
    expect(root).toBeDefined();
    expect((await get(`${server.url}/datasets/${root}/records.parquet`)).status).toBe(404);
    expect(await (await get(`${server.url}/datasets/index.json`)).text()).not.toContain(root);
    const { data } = await lake.slices({ limit: 100 });
    const listed = data.items.find(({ mirrorlake }) => mirrorlake.root === root);
    expect(listed?.download_url).toBeNull();
    expect(data.items.filter(({ download_url }) => download_url !== null)).toHaveLength(
      data.items.length - 1,
    );
    await expect(publishSlices([path], { out: join(set.dir, "never") })).rejects.toMatchObject({
      code: "slices_withheld",
      value: [root],
    });
  });

  test("a file that is damaged in the lake is 503, not half an answer", async () => {
    const whole = join(path, "slices", manifest.mirrorlake.root, resource().path);
    await truncate(whole, resource().bytes - 10);
    const response = await get(fileUrl(resource().path));
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { error: { code: "service_unavailable" } },
    ]);
  });
});
