import type { Account } from "./account.js";
import type { AccountOptions } from "./account-options.js";
import { LocalAccount } from "./local-account.js";
import { shownAddress } from "./store/postgres/postgres-address.js";
import { PostgresStore } from "./store/postgres/postgres-store.js";

/**
 * Opens an account on PostgreSQL, which any number of servers share: keys, quota, rate window, balance and ledger, exact to the
 * micro-dollar. Its tables are made in the schema `mirrorlake` where they are absent; an
 * `openingBalance` is kept by a new account from here on.
 * @param address `postgres://user:password@host:5432/database`
 * @throws LakeError `account_unreachable`, `account_not_writable`, `ledger_newer_format`, `account_driver_missing`
 */
export async function openPostgresAccount(address: string, options: AccountOptions = {}): Promise<Account> {
  const account = new LocalAccount(new PostgresStore(address), options, shownAddress(address));
  try {
    await account.state();
    if (options.openingBalance !== undefined) await account.open();
    return account;
  } catch (error) {
    await account.close();
    throw error;
  }
}
