import type { Account } from "../account/account.js";
import type { AccountOptions } from "../account/account-options.js";
import { LocalAccount } from "../account/local-account.js";
import { singaporeMonth } from "../account/singapore-calendar.js";
import { MemoryStore } from "../account/store/memory-store.js";
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
  const store = new MemoryStore();
  if (freeCalls !== undefined) {
    const used = Math.max(0, LIMITS.freeCallsPerMonth.value - freeCalls);
    const month = singaporeMonth(options.clock.now());
    await store.transact(async (transaction) => transaction.saveQuota(month, { used, held: 0 }));
  }
  return new LocalAccount(store, options);
}
