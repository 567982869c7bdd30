import { type MicroUsd, micros } from "../contract/money.js";
import type { LedgerEntry } from "./ledger-entry.js";
import { singaporeDay } from "./singapore-calendar.js";

/** A dimension of usage. */
export type UsageGroup = "day" | "endpoint" | "key";

/** Selects the calls that usage counts and the dimensions of its rows. */
export interface UsageQuery {
  /** First instant, inclusive, in milliseconds since the Unix epoch. */
  readonly fromMs?: number;
  /** Last instant, inclusive. */
  readonly toMs?: number;
  /** Default: all three. */
  readonly by?: readonly UsageGroup[];
}

/** Counts of one group. `day`, `endpoint` and `key` are present if the usage is grouped by them. */
export interface UsageRow {
  /** Day in Asia/Singapore, "2026-05-31". */
  readonly day?: string;
  readonly endpoint?: string;
  readonly key?: string;
  readonly calls: number;
  readonly charged: number;
  readonly free: number;
  readonly empty: number;
  readonly errors: number;
  readonly spent: MicroUsd;
}

interface Tally {
  calls: number;
  charged: number;
  free: number;
  empty: number;
  errors: number;
  spent: bigint;
}

const ALL_GROUPS: readonly UsageGroup[] = ["day", "endpoint", "key"];

/** Counts the calls among the entries, sorted by group. Memory grows with the number of groups, not of entries. */
export async function tallyUsage(
  entries: AsyncIterable<LedgerEntry>,
  by: readonly UsageGroup[] = ALL_GROUPS,
): Promise<UsageRow[]> {
  const tallies = new Map<string, { group: Pick<UsageRow, UsageGroup>; tally: Tally }>();
  for await (const entry of entries) {
    if (entry.kind !== "call") continue;
    const group: { -readonly [key in UsageGroup]?: string } = {};
    if (by.includes("day")) group.day = singaporeDay(entry.at);
    if (by.includes("endpoint")) group.endpoint = entry.endpoint ?? "";
    if (by.includes("key")) group.key = entry.key ?? "";
    const name = JSON.stringify(group);
    let row = tallies.get(name);
    if (row === undefined) {
      row = { group, tally: { calls: 0, charged: 0, free: 0, empty: 0, errors: 0, spent: 0n } };
      tallies.set(name, row);
    }
    count(row.tally, entry);
  }
  return [...tallies.entries()]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, { group, tally }]) => ({ ...group, ...tally, spent: micros(tally.spent) }));
}

function count(tally: Tally, entry: LedgerEntry): void {
  tally.calls += 1;
  tally.spent -= BigInt(entry.amount);
  if (entry.outcome === "charged") tally.charged += 1;
  else if (entry.outcome === "free_quota") tally.free += 1;
  else if (entry.outcome === "empty") tally.empty += 1;
  else if (entry.outcome === "error") tally.errors += 1;
}
