import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { loadAddon } from "../contract/load-addon.js";
import { needGlobals } from "../contract/need-globals.js";
import { nextTurn } from "../next-turn.js";

/** DuckDB's package. */
export type DuckDb = typeof import("@duckdb/node-api");

/**
 * Loads DuckDB's package. By `require`: `import` of a CommonJS package reads all of its files first, for the names that they export,
 * which takes longer than to load them.
 * @throws UsageError `globals_missing`, `addons_not_allowed`, `addon_missing` where the package cannot be loaded
 */
export async function loadDuckDb(): Promise<DuckDb> {
  needGlobals(["TextEncoder", "TextDecoder"], "DuckDB");
  return loadAddon("DuckDB", load);
}

/** Its native part, and folders and files of the pinned version that take about as long as what is left of it. */
const NATIVE = "@duckdb/node-bindings";
const PARTS = ["values/index.js", "DuckDBType.js", "vectors/index.js"];

async function load(): Promise<DuckDb> {
  let require: NodeJS.Require;
  let entry: string;
  try {
    require = createRequire(import.meta.url);
    entry = require.resolve("@duckdb/node-api");
  } catch {
    // A bundle may not know where it is, or say where it was built.
    return import("@duckdb/node-api");
  }
  // In one piece it takes a hundred milliseconds of a busy machine: others have their turn between parts.
  const own = createRequire(entry);
  const parts = PARTS.map((part) => join(dirname(entry), part)).filter((path) => existsSync(path));
  for (const part of [NATIVE, ...parts]) {
    own(part);
    await nextTurn();
  }
  return require("@duckdb/node-api") as DuckDb;
}
