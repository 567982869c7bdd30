import { formatUsd } from "../contract/money.js";
import type { LedgerEntry } from "./ledger-entry.js";

/** A ledger entry for display and export: ISO 8601 times, USD with six decimal places, null for absent values. */
export interface LedgerRow {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly kind: LedgerEntry["kind"];
  readonly outcome: string | null;
  readonly request_id: string | null;
  readonly endpoint: string | null;
  readonly key_id: string | null;
  readonly amount_usd: string;
  readonly balance_usd: string;
  readonly error_code: string | null;
  readonly quota_month: string | null;
  readonly reference: string | null;
}

/** Columns of an export, in order. */
const COLUMNS = [
  "seq",
  "at",
  "kind",
  "outcome",
  "request_id",
  "endpoint",
  "key_id",
  "amount_usd",
  "balance_usd",
  "error_code",
  "quota_month",
  "reference",
] as const satisfies readonly (keyof LedgerRow)[];

/** Formats of a ledger export. */
export type LedgerExportFormat = "jsonl" | "csv";

/** Converts an entry to its row. */
export function ledgerRow(entry: LedgerEntry): LedgerRow {
  return {
    seq: entry.seq,
    at: new Date(entry.at).toISOString(),
    kind: entry.kind,
    outcome: entry.outcome ?? null,
    request_id: entry.request ?? null,
    endpoint: entry.endpoint ?? null,
    key_id: entry.key ?? null,
    amount_usd: formatUsd(BigInt(entry.amount)),
    balance_usd: formatUsd(BigInt(entry.balance)),
    error_code: entry.code ?? null,
    quota_month: entry.month ?? null,
    reference: entry.reference ?? null,
  };
}

/** Yields the ledger as text, one line per entry: JSON Lines, or CSV (RFC 4180) with a header. Uses constant memory. */
export async function* exportLedger(
  entries: AsyncIterable<LedgerEntry>,
  format: LedgerExportFormat,
): AsyncIterable<string> {
  if (format === "csv") yield `${COLUMNS.join(",")}\r\n`;
  for await (const entry of entries) {
    const row = ledgerRow(entry);
    yield format === "csv"
      ? `${COLUMNS.map((column) => csvField(row[column])).join(",")}\r\n`
      : `${JSON.stringify(row)}\n`;
  }
}

function csvField(value: string | number | null): string {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
