import { expect, test } from "vitest";
import { loadDuckDb } from "../../src/duckdb/load-package.js";
import { turnsDuring } from "../support/turns-during.js";

test("the event loop turns while DuckDB is loaded", async () => {
  const { result, turns } = await turnsDuring(loadDuckDb);
  expect(result.version()).toMatch(/^v\d/);
  expect(turns).toBeGreaterThanOrEqual(4);
});
