import type { StoredApiKey } from "../api-key.js";
import type { LedgerEntry } from "../ledger-entry.js";
import type { StoredHold, Totals } from "./account-store.js";

/** A value of the engine, which accepts no booleans and no bigints. */
export type Value = string | number | null;

/** A row by column name. */
export type Row = Record<string, Value>;

/** Converts a row of `account`. */
export function totalsOf(row: Row): Totals {
  return {
    seq: Number(row.seq),
    balance: BigInt(String(row.balance)),
    held: BigInt(String(row.held)),
    holds: Number(row.holds),
    toppedUp: row.topped_up === 1,
    keysVersion: Number(row.keys_version),
  };
}

/** Converts a row of `ledger`. */
export function entryOf(row: Row): LedgerEntry {
  return {
    seq: Number(row.seq),
    at: Number(row.at),
    kind: row.kind as LedgerEntry["kind"],
    amount: String(row.amount),
    balance: String(row.balance),
    outcome: (row.outcome ?? undefined) as LedgerEntry["outcome"],
    key: textOf(row.key_id),
    endpoint: textOf(row.endpoint),
    request: textOf(row.request_id),
    code: textOf(row.error_code),
    month: textOf(row.quota_month),
    reference: textOf(row.reference),
  };
}

function textOf(value: Value | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Converts a row of `api_keys`. */
export function keyOf(row: Row): StoredApiKey {
  return {
    id: String(row.id),
    name: String(row.name),
    sha256: String(row.sha256),
    scopes: JSON.parse(String(row.scopes)) as string[],
    created_at: String(row.created_at),
    revoked_at: textOf(row.revoked_at),
  };
}

/** Converts a row of `holds`. */
export function holdOf(row: Row): StoredHold {
  return {
    id: Number(row.id),
    month: String(row.month),
    free: row.free === 1,
    amount: BigInt(String(row.amount)),
    expiresAt: Number(row.expires_at),
  };
}
