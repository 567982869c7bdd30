import type { Account } from "./account.js";
import { MemoryStore } from "./account-store.js";
import { type AccountOptions, LocalAccount } from "./local-account.js";

/** An account that lives as long as the process. */
export function openMemoryAccount(options: AccountOptions = {}): Account {
  const account = new LocalAccount(new MemoryStore(), options);
  // A memory store takes an entry at once, so the balance stands before the first visit too.
  void account.openLedger();
  return account;
}
