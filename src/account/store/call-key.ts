import type { LedgerEntry } from "../ledger-entry.js";

/** Text that is equal for a call and its repetitions, and for no others: a store looks up by it which were settled. */
export function callKey({
  key,
  endpoint,
  request,
  reference,
}: Pick<LedgerEntry, "key" | "endpoint" | "request" | "reference">): string {
  return JSON.stringify([request, endpoint, key, reference]);
}
