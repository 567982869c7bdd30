import { createRequire } from "node:module";
import { needGlobals } from "../contract/need-globals.js";

/** DuckDB's package. */
export type DuckDb = typeof import("@duckdb/node-api");

/**
 * Loads DuckDB's package. By `require`: `import` of a CommonJS package reads all of its files first, for the names that they export,
 * which takes longer than to load them.
 * @throws UsageError `globals_missing` where the package cannot be loaded
 */
export async function loadDuckDb(): Promise<DuckDb> {
  needGlobals(["TextEncoder", "TextDecoder"], "DuckDB");
  let load: NodeJS.Require;
  try {
    load = createRequire(import.meta.url);
    load.resolve("@duckdb/node-api");
  } catch {
    // A bundle may not know where it is, or say where it was built.
    return import("@duckdb/node-api");
  }
  return load("@duckdb/node-api") as DuckDb;
}
