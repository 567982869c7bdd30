import type { Removal } from "../../contract/lake/removal.js";
import type { Database } from "../../duckdb/database.js";
import type { BaseGeneration } from "./base-generation.js";
import type { PricedProduct } from "./load-tables.js";
import { findPriceChanges, type PriceChange, productsSince, storePriceChanges } from "./price-changes.js";

/**
 * Derives the price changes of a generation and stores them in its tables. Returns those of the base's rows, whose row stores keep
 * what they have; rows that are written afterwards have theirs in the row store.
 */
export async function derivePriceChanges(
  db: Database,
  {
    base,
    first,
    removals,
    left,
    signal,
  }: {
    readonly base: BaseGeneration | undefined;
    readonly first: { readonly records: number; readonly raw: number };
    readonly removals: readonly Removal[];
    /** Products of price points that were replaced, or went with their slices. */
    readonly left: readonly PricedProduct[];
    readonly signal: AbortSignal | undefined;
  },
): Promise<readonly PriceChange[]> {
  const touched = base === undefined || removals.length > 0 ? undefined : productsSince(first, left);
  const changes = await findPriceChanges(db, { touched, signal });
  await storePriceChanges(db, changes);
  const ofBase = new Map((base?.changes ?? []).map((change) => [change.row, change]));
  for (const change of changes) if (change.row < first.records) ofBase.set(change.row, change);
  return [...ofBase.values()].sort((a, b) => a.row - b.row);
}
