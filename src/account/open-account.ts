import { join } from "node:path";
import type { Account } from "./account.js";
import { ACCOUNT_FOLDER, ACCOUNT_ID } from "./defaults.js";
import { FileStore } from "./file-store.js";
import type { Durability } from "./ledger-writer.js";
import { type AccountOptions, LocalAccount } from "./local-account.js";

/** How a lake's account is opened. */
export interface OpenAccountOptions extends AccountOptions {
  /** Default `relaxed`: safe from a killed process, not from a power cut. */
  readonly durability?: Durability;
  /** Told, in a sentence, of what a crash had left behind and how it was mended. */
  readonly onNotice?: (message: string) => void;
}

/**
 * Opens the account of a lake, in `<lake>/account`. Nothing is written, and no other process is kept waiting, before the
 * first visit; processes that use one lake at a time share its account, turn by turn.
 * @throws LakeError `ledger_corrupt`, `ledger_newer_format`, `keys_corrupt`
 */
export async function openAccount(lake: string, options: OpenAccountOptions = {}): Promise<Account> {
  const store = new FileStore(join(lake, ACCOUNT_FOLDER), {
    accountId: ACCOUNT_ID,
    durability: options.durability ?? "relaxed",
    onNotice: options.onNotice ?? (() => {}),
    onContended: () => account.rest(),
  });
  const account = new LocalAccount(store, options);
  await account.peek();
  return account;
}
