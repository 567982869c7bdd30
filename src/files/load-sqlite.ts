import { loadAddon } from "../contract/load-addon.js";

/**
 * Loads SQLite's package.
 * @throws UsageError `addons_not_allowed`, `addon_missing` where the package cannot be loaded
 */
export async function loadSqlite(): Promise<typeof import("libsql")> {
  const { default: Sqlite } = await loadAddon("SQLite", () => import("libsql"));
  return Sqlite;
}
