import type { Account } from "./account.js";
import type { AccountOptions } from "./account-options.js";
import { LocalAccount } from "./local-account.js";
import { MemoryStore } from "./store/memory-store.js";

/**
 * Opens an account in memory. It keeps the newest 20,000 ledger entries for usage, export and repeated request ids;
 * balance and quota are always exact.
 */
export function openMemoryAccount(options: AccountOptions = {}): Account {
  return new LocalAccount(new MemoryStore(), options);
}
