import { loadAddon } from "../contract/load-addon.js";

/**
 * Loads SQLite's package.
 * @throws UsageError `addons_not_allowed` where Node.js may not load native code
 */
export async function loadSqlite(): Promise<typeof import("libsql")> {
  const { default: Sqlite } = await loadAddon("SQLite", () => import("libsql"));
  return Sqlite;
}
