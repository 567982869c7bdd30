import type Database from "libsql";
import type { StoredApiKey } from "../api-key.js";
import { ACCOUNT_ID } from "../defaults.js";
import type { LedgerEntry } from "../ledger-entry.js";
import type {
  AccountTransaction,
  EntryRange,
  QuotaMonth,
  RatedCalls,
  StoredHold,
  Totals,
} from "./account-store.js";

type Connection = Database.Database;
type Value = string | number | null;
type Row = Record<string, Value>;

const SETTLED = "outcome IN ('charged', 'free_quota', 'no_charge')";
/** Number of new entries after which old entries are deleted in one batch. */
const FORGET_EVERY = 100;
const NO_CALLS: QuotaMonth = { used: 0, held: 0 };

/**
 * Consecutive transactions on one SQLite connection. Each transaction reads and writes the totals and the month's quota
 * once, for any number of calls. The engine accepts numbers and text, but no booleans and no bigints.
 */
export class SqliteTransaction implements AccountTransaction {
  private readonly connection: Connection;
  private readonly keepEntries: number;
  private readonly statements = new Map<string, ReturnType<Connection["prepare"]>>();
  private cachedTotals: Totals | undefined;
  private totalsChanged = false;
  private readonly quotas = new Map<string, QuotaMonth>();
  private readonly changedQuotas = new Set<string>();

  /** @param keepEntries Number of newest ledger entries to keep. */
  constructor(connection: Connection, keepEntries: number) {
    this.connection = connection;
    this.keepEntries = keepEntries;
  }

  /** Clears the cache of the previous transaction. */
  reset(): void {
    this.cachedTotals = undefined;
    this.totalsChanged = false;
    this.quotas.clear();
    this.changedQuotas.clear();
  }

  /** Writes cached changes; call it before the commit. */
  flush(): void {
    if (this.totalsChanged && this.cachedTotals !== undefined) this.writeTotals(this.cachedTotals);
    for (const month of this.changedQuotas) {
      const { used, held } = this.quota(month);
      this.run(
        "INSERT INTO quota (month, used, held) VALUES (?, ?, ?)" +
          " ON CONFLICT (month) DO UPDATE SET used = excluded.used, held = excluded.held",
        [month, used, held],
      );
    }
  }

  totals(): Totals | undefined {
    if (this.cachedTotals !== undefined) return this.cachedTotals;
    const row = this.get(
      "SELECT seq, balance, held, holds, topped_up, keys_version FROM account WHERE id = ?",
      [ACCOUNT_ID],
    );
    if (row === undefined) return undefined;
    this.cachedTotals = {
      seq: Number(row.seq),
      balance: BigInt(String(row.balance)),
      held: BigInt(String(row.held)),
      holds: Number(row.holds),
      toppedUp: row.topped_up === 1,
      keysVersion: Number(row.keys_version),
    };
    return this.cachedTotals;
  }

  saveTotals(totals: Totals): void {
    this.cachedTotals = totals;
    this.totalsChanged = true;
  }

  quota(month: string): QuotaMonth {
    const known = this.quotas.get(month);
    if (known !== undefined) return known;
    const row = this.get("SELECT used, held FROM quota WHERE month = ?", [month]);
    const quota = row === undefined ? NO_CALLS : { used: Number(row.used), held: Number(row.held) };
    this.quotas.set(month, quota);
    return quota;
  }

  saveQuota(month: string, quota: QuotaMonth): void {
    this.quotas.set(month, quota);
    this.changedQuotas.add(month);
  }

  settledCall(key: string, endpoint: string, request: string): LedgerEntry | undefined {
    const row = this.get(
      `SELECT * FROM ledger WHERE request_id = ? AND endpoint = ? AND key_id = ? AND ${SETTLED} ORDER BY seq LIMIT 1`,
      [request, endpoint, key],
    );
    return row === undefined ? undefined : entryOf(row);
  }

  hasTopUp(reference: string): boolean {
    const sql = "SELECT 1 AS found FROM ledger WHERE reference = ? AND kind = 'top_up' LIMIT 1";
    return this.get(sql, [reference]) !== undefined;
  }

  entries({ afterSeq, toSeq, fromMs, toMs }: EntryRange): LedgerEntry[] {
    return this.all("SELECT * FROM ledger WHERE seq > ? AND seq <= ? AND at >= ? AND at <= ? ORDER BY seq", [
      afterSeq,
      toSeq,
      fromMs,
      toMs,
    ]).map(entryOf);
  }

  append(entry: LedgerEntry): void {
    this.run(
      "INSERT INTO ledger (seq, at, kind, amount, balance, outcome, key_id, endpoint, request_id, error_code," +
        " quota_month, reference) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        entry.seq,
        entry.at,
        entry.kind,
        entry.amount,
        entry.balance,
        entry.outcome ?? null,
        entry.key ?? null,
        entry.endpoint ?? null,
        entry.request ?? null,
        entry.code ?? null,
        entry.month ?? null,
        entry.reference ?? null,
      ],
    );
    if (entry.seq % FORGET_EVERY === 0 && entry.seq > this.keepEntries)
      this.run("DELETE FROM ledger WHERE seq <= ?", [entry.seq - this.keepEntries]);
  }

  keys(): StoredApiKey[] {
    return this.all("SELECT * FROM api_keys ORDER BY position", []).map(keyOf);
  }

  saveKey(key: StoredApiKey): void {
    this.run(
      "INSERT INTO api_keys (id, position, name, sha256, scopes, created_at, revoked_at)" +
        " VALUES (?, (SELECT COALESCE(MAX(position), 0) + 1 FROM api_keys), ?, ?, ?, ?, ?)" +
        " ON CONFLICT (id) DO UPDATE SET revoked_at = excluded.revoked_at",
      [key.id, key.name, key.sha256, JSON.stringify(key.scopes), key.created_at, key.revoked_at ?? null],
    );
  }

  addHold({ id, month, free, amount, expiresAt }: StoredHold): void {
    this.run("INSERT INTO holds (id, month, free, amount, expires_at) VALUES (?, ?, ?, ?, ?)", [
      id,
      month,
      free ? 1 : 0,
      amount.toString(),
      expiresAt,
    ]);
  }

  removeHold(id: number): StoredHold | undefined {
    const row = this.get("DELETE FROM holds WHERE id = ? RETURNING *", [id]);
    return row === undefined ? undefined : holdOf(row);
  }

  oldestHold(): StoredHold | undefined {
    const row = this.get("SELECT * FROM holds ORDER BY id LIMIT 1", []);
    return row === undefined ? undefined : holdOf(row);
  }

  ratedCalls(afterMs: number): RatedCalls {
    const row = this.get(
      "SELECT COUNT(*) AS calls, COUNT(CASE WHEN at > ? THEN 1 END) AS inside, MAX(at) AS latest FROM rate_window",
      [afterMs],
    );
    const inside = Number(row?.inside);
    return { inside, outside: Number(row?.calls) - inside, latest: Number(row?.latest) };
  }

  ratedCallAt(afterMs: number, index: number): number | undefined {
    const sql = "SELECT at FROM rate_window WHERE at > ? ORDER BY at LIMIT 1 OFFSET ?";
    const row = this.get(sql, [afterMs, index]);
    return row === undefined ? undefined : Number(row.at);
  }

  addRatedCall(at: number): void {
    this.run("INSERT INTO rate_window (at) VALUES (?)", [at]);
  }

  forgetRatedCalls(toMs: number): void {
    this.run("DELETE FROM rate_window WHERE at <= ?", [toMs]);
  }

  limitRatedCalls(toMs: number): void {
    this.run("UPDATE rate_window SET at = ? WHERE at > ?", [toMs, toMs]);
  }

  private writeTotals({ seq, balance, held, holds, toppedUp, keysVersion }: Totals): void {
    this.run(
      "INSERT INTO account (id, seq, balance, held, holds, topped_up, keys_version) VALUES (?, ?, ?, ?, ?, ?, ?)" +
        " ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, balance = excluded.balance, held = excluded.held," +
        " holds = excluded.holds, topped_up = excluded.topped_up, keys_version = excluded.keys_version",
      [ACCOUNT_ID, seq, balance.toString(), held.toString(), holds, toppedUp ? 1 : 0, keysVersion],
    );
  }

  private get(sql: string, values: readonly Value[]): Row | undefined {
    return this.prepared(sql).get(values) as Row | undefined;
  }

  private all(sql: string, values: readonly Value[]): Row[] {
    return this.prepared(sql).all(values) as Row[];
  }

  private run(sql: string, values: readonly Value[]): void {
    this.prepared(sql).run(values);
  }

  private prepared(sql: string): ReturnType<Connection["prepare"]> {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.connection.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

function entryOf(row: Row): LedgerEntry {
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

function keyOf(row: Row): StoredApiKey {
  return {
    id: String(row.id),
    name: String(row.name),
    sha256: String(row.sha256),
    scopes: JSON.parse(String(row.scopes)) as string[],
    created_at: String(row.created_at),
    revoked_at: textOf(row.revoked_at),
  };
}

function holdOf(row: Row): StoredHold {
  return {
    id: Number(row.id),
    month: String(row.month),
    free: row.free === 1,
    amount: BigInt(String(row.amount)),
    expiresAt: Number(row.expires_at),
  };
}
