import type { EntryDraft, LedgerEntry } from "./ledger-entry.js";
import type { AccountReader, AccountTransaction, Totals } from "./store/account-store.js";

/** Totals of an empty ledger. */
export const NO_ENTRIES: Totals = {
  seq: 0,
  balance: 0n,
  held: 0n,
  holds: 0,
  toppedUp: false,
  keysVersion: 0,
};

/** Returns the totals of an account that has its opening entry. @throws Error if it has none */
export async function totalsOf(reader: AccountReader): Promise<Totals> {
  const totals = await reader.totals();
  if (totals === undefined) throw new Error("the account has no opening entry");
  return totals;
}

/** Writes the opening entry of a new account. */
export async function openLedger(
  transaction: AccountTransaction,
  balance: bigint,
  now: number,
): Promise<LedgerEntry> {
  await transaction.saveTotals(NO_ENTRIES);
  return record(transaction, { at: now, kind: "opening", amount: balance.toString() });
}

/** Appends the next entry to the ledger and updates the totals. */
export async function record(transaction: AccountTransaction, draft: EntryDraft): Promise<LedgerEntry> {
  const totals = await totalsOf(transaction);
  const balance = totals.balance + BigInt(draft.amount);
  const entry: LedgerEntry = { ...draft, seq: totals.seq + 1, balance: balance.toString() };
  await transaction.append(entry);
  await transaction.saveTotals({
    ...totals,
    seq: entry.seq,
    balance,
    toppedUp: totals.toppedUp || draft.kind === "top_up",
  });
  return entry;
}
