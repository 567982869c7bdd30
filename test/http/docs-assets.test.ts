import { startServer } from "mirrorlake";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningServer } from "../../src/http/server.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";

let lake: TestLake;
let server: RunningServer;

beforeAll(async () => {
  lake = await createTestLake();
  server = await startServer(lake.service);
});

afterAll(async () => {
  await server?.close();
  await lake?.close();
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
