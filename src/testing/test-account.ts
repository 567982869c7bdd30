import type { Account } from "../account/account.js";
import type { AccountOptions } from "../account/account-options.js";
import { MEMORY_LEDGER_ENTRIES } from "../account/defaults.js";
import { LocalAccount } from "../account/local-account.js";
import { singaporeMonth } from "../account/singapore-calendar.js";
import { IN_MEMORY } from "../account/store/sqlite-connection.js";
import { SqliteStore } from "../account/store/sqlite-store.js";
import type { Clock } from "../clock.js";
import { LIMITS } from "../contract/service/limits.js";

/** Options of {@link openTestAccount}. */
export interface TestAccountOptions extends AccountOptions {
  readonly clock: Clock;
  /** Free calls left in the month in which the clock starts; default: all. */
  readonly freeCalls?: number | undefined;
}

/** Opens an account in memory, in the state that a test begins with. */
export async function openTestAccount({ freeCalls, ...options }: TestAccountOptions): Promise<Account> {
  const store = new SqliteStore(IN_MEMORY, { keepEntries: MEMORY_LEDGER_ENTRIES });
  if (freeCalls !== undefined) {
    const used = Math.max(0, LIMITS.freeCallsPerMonth.value - freeCalls);
    const month = singaporeMonth(options.clock.now());
    await store.transact(async (transaction) => transaction.saveQuota(month, { used, held: 0 }));
  }
  return new LocalAccount(store, options);
}
