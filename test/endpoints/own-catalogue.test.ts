import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "../../src/client/connect.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import type { CatalogueFile } from "../../src/contract/service/catalogue-file/catalogue-file.js";
import { loadCatalogue } from "../../src/contract/service/catalogue-file/load-catalogue.js";
import { type RunningServer, startServer } from "../../src/http/server.js";
import { extendCatalogue } from "../../src/lake/lake-catalogue.js";
import { copySampleLake } from "../support/sample-lake.js";

const FILE: CatalogueFile = {
  catalogue: 1,
  remove: ["raw.forum.replies"],
  endpoints: [
    {
      id: "raw.forum.best-comments",
      operation: "list",
      options: { resource: "comment", parent: "post_id", top_level: true },
      price_usd: "0.25",
    },
    {
      id: "raw.forum.one",
      path: "/v1/raw/forum/one/{post_id}",
      operation: "detail",
      options: { resource: "post", id: "post_id" },
    },
    { id: "weather", path: "/v1/weather", operation: "unmapped", params: { type: "object" } },
  ],
};

let dir: string;
let path: string;
let lake: LakeClient;
let server: RunningServer;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-own-"));
  path = await copySampleLake(dir);
  await extendCatalogue(path, FILE);
  lake = await openLake(path, { account: "memory", limits: "off" });
  server = await startServer(lake.service);
});

afterAll(async () => {
  await server?.close();
  await lake?.close();
  await rm(dir, { recursive: true, force: true });
});

test("a lake answers the endpoints of its catalogue file, at their price", async () => {
  const { data, meta } = await lake.call<string>("raw.forum.best-comments", { post_id: "p1", count: 2 });
  expect(data).toMatchObject({
    items: [{ text: expect.any(String) }, { text: expect.any(String) }],
    cursor: 2,
  });
  expect(meta).toMatchObject({ billed: true, charged_usd: "0.250000" });
  const described = await (await fetch(`${server.url}/openapi.json`)).json();
  expect(described).toMatchObject({
    paths: { "/v1/raw/forum/best-comments": { get: { "x-price-usd": "0.250000" } } },
  });
});

test("a parameter in the path works through every transport", async () => {
  const catalogue = loadCatalogue([FILE]);
  const remote = connect({ baseUrl: server.url, apiKey: lake.apiKey, catalogue });
  for (const client of [lake, remote]) {
    const { data } = await client.call<string>("raw.forum.one", { post_id: "p1" });
    expect(data).toMatchObject({ platform: "forum" });
  }
});

test("a row without a local operation answers empty and says why", async () => {
  const answer = await lake.call<string>("weather", {});
  expect(answer).toMatchObject({ data: null, meta: { empty: true, billed: false } });
  expect(answer.headers["x-mirrorlake-note"]).toContain("no local operation");
});

test("a removed endpoint is gone", async () => {
  await expect(lake.raw("forum", "replies", { post_id: "p1", cid: "c1" })).rejects.toMatchObject({
    code: "not_found",
  });
});
