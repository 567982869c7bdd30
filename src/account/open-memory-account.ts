import type { Account } from "./account.js";
import type { AccountOptions } from "./account-options.js";
import { MEMORY_LEDGER_ENTRIES } from "./defaults.js";
import { LocalAccount } from "./local-account.js";
import { IN_MEMORY } from "./store/sqlite-connection.js";
import { SqliteStore } from "./store/sqlite-store.js";

/**
 * Opens an account in memory. It keeps the newest 20,000 ledger entries for usage, export and repeated request ids;
 * balance and quota are always exact.
 */
export function openMemoryAccount(options: AccountOptions = {}): Account {
  return new LocalAccount(new SqliteStore(IN_MEMORY, { keepEntries: MEMORY_LEDGER_ENTRIES }), options);
}
