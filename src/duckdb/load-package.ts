import { createRequire } from "node:module";
import { loadAddon } from "../contract/load-addon.js";
import { needGlobals } from "../contract/need-globals.js";

/** DuckDB's package. */
export type DuckDb = typeof import("@duckdb/node-api");

/**
 * Loads DuckDB's package. By `require`: `import` of a CommonJS package reads all of its files first, for the names that they export,
 * which takes longer than to load them.
 * @throws UsageError `globals_missing`, `addons_not_allowed` where the package cannot be loaded
 */
export async function loadDuckDb(): Promise<DuckDb> {
  needGlobals(["TextEncoder", "TextDecoder"], "DuckDB");
  return loadAddon("DuckDB", load);
}

async function load(): Promise<DuckDb> {
  let require: NodeJS.Require;
  try {
    require = createRequire(import.meta.url);
    require.resolve("@duckdb/node-api");
  } catch {
    // A bundle may not know where it is, or say where it was built.
    return import("@duckdb/node-api");
  }
  return require("@duckdb/node-api") as DuckDb;
}
