import type { Clock } from "../clock.js";
import type { ErrorCode } from "../contract/errors.js";
import type { MicroUsd } from "../contract/money.js";
import type { Charge, ReleaseOutcome } from "./account.js";
import { chargeOf } from "./charge-call.js";
import type { EntryDraft } from "./ledger-entry.js";
import { openLedger, record } from "./record-entry.js";
import type { AccountStore, AccountTransaction } from "./store/account-store.js";

/** A call that is recorded without a charge. */
export interface FreeCall {
  readonly key: string;
  readonly endpoint: string | undefined;
  readonly requestId: string;
  readonly outcome: ReleaseOutcome | ErrorCode;
}

/** The ledger of an account in a store. The first transaction writes its opening entry. */
export class Ledger {
  readonly store: AccountStore;
  private readonly clock: Clock;
  private readonly openingBalance: MicroUsd;

  /** @param clock The service clock. */
  constructor(store: AccountStore, clock: Clock, openingBalance: MicroUsd) {
    this.store = store;
    this.clock = clock;
    this.openingBalance = openingBalance;
  }

  /** Runs work in a transaction. @throws LakeError as {@link AccountStore.transact} */
  transact<T>(
    work: (transaction: AccountTransaction) => Promise<T>,
    options?: { readonly durable?: boolean },
  ): Promise<T> {
    return this.store.transact(async (transaction) => {
      if ((await transaction.totals()) === undefined)
        await openLedger(transaction, this.openingBalance, this.clock.now());
      return work(transaction);
    }, options);
  }

  /** Records a call with amount zero. `also` runs in the same transaction. */
  note(call: FreeCall, also?: (transaction: AccountTransaction) => Promise<unknown>): Promise<Charge> {
    const { key, endpoint, requestId, outcome } = call;
    return this.transact(async (transaction) => {
      const now = this.clock.now();
      const draft: EntryDraft = {
        at: now,
        kind: "call",
        amount: "0",
        key,
        outcome: outcome === "empty" ? "empty" : "error",
        endpoint,
        request: requestId === "" ? undefined : requestId,
        code: outcome === "empty" ? undefined : outcome,
      };
      await also?.(transaction);
      await record(transaction, draft);
      return chargeOf(transaction, undefined, now);
    });
  }

  /** Returns the state of the account as the effect of a call that moved nothing. */
  unmoved(): Promise<Charge> {
    return this.store.read((reader) => chargeOf(reader, undefined, this.clock.now()));
  }
}
