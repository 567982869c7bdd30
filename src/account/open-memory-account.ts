import type { Account } from "./account.js";
import { MEMORY_LEDGER_ENTRIES } from "./defaults.js";
import { type AccountOptions, LocalAccount } from "./local-account.js";
import { IN_MEMORY, SqliteStore } from "./store/sqlite-store.js";

/**
 * An account that lives as long as the process. It keeps the newest 20,000 ledger entries: usage, export and repeated
 * request ids reach back so far; balance and quota are exact all the same.
 */
export function openMemoryAccount(options: AccountOptions = {}): Account {
  return new LocalAccount(new SqliteStore(IN_MEMORY, { keepEntries: MEMORY_LEDGER_ENTRIES }), options);
}
