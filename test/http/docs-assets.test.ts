import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "mirrorlake";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import type { RunningServer } from "../../src/http/server.js";
import { copySampleLake } from "../support/sample-lake.js";

let dir: string;
let lake: LakeClient;
let server: RunningServer;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-docs-"));
  lake = await openLake(await copySampleLake(dir), { account: "memory" });
  server = await startServer(lake.service);
});

afterAll(async () => {
  await server?.close();
  await lake?.close();
  await rm(dir, { recursive: true, force: true });
});

test.each([
  ["swagger-ui-bundle.js", "text/javascript; charset=utf-8", "SwaggerUIBundle"],
  ["swagger-ui.css", "text/css; charset=utf-8", ".swagger-ui"],
])("the built server has %s", async (name, type, content) => {
  const file = await fetch(`${server.url}/docs/${name}`);
  expect(file.status).toBe(200);
  expect(file.headers.get("content-type")).toBe(type);
  expect(await file.text()).toContain(content);
});
