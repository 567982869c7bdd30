import type Database from "libsql";
import type { StoredApiKey } from "../api-key.js";
import { ACCOUNT_ID } from "../defaults.js";
import type { LedgerEntry } from "../ledger-entry.js";
import { entryOf, holdOf, keyOf, type Row, totalsOf, type Value } from "./account-rows.js";
import type {
  AccountTransaction,
  AskedCall,
  ChargedCall,
  ChargedState,
  EntryRange,
  QuotaMonth,
  StoredHold,
  Totals,
} from "./account-store.js";

type Connection = Database.Database;

const SETTLED = "outcome IN ('charged', 'free_quota', 'no_charge')";
const APPEND_CHARGE =
  "INSERT INTO ledger (seq, at, kind, amount, balance, key_id, endpoint, request_id, outcome, quota_month, reference)" +
  " SELECT ?1, ?2, 'call', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 WHERE (SELECT MAX(seq) FROM ledger) = ?1 - 1" +
  ` AND NOT EXISTS (SELECT 1 FROM ledger WHERE request_id = ?7 AND endpoint = ?6 AND key_id = ?5 AND reference IS ?10 AND ${SETTLED})`;
const NO_CALLS: QuotaMonth = { used: 0, held: 0 };

/**
 * Consecutive transactions on one SQLite connection. Totals, quotas, holds and the rate window are read once and stay
 * known until another connection commits; totals and quotas are written once a transaction, for any number of calls.
 * The engine accepts numbers and text, but no booleans and no bigints.
 */
export class SqliteTransaction implements AccountTransaction {
  private readonly connection: Connection;
  private readonly statements = new Map<string, ReturnType<Connection["prepare"]>>();
  /** SQLite's counter of commits by other connections; -1 before the first transaction. */
  private dataVersion: Value | undefined = -1;
  private cachedTotals: Totals | undefined;
  private totalsChanged = false;
  private readonly quotas = new Map<string, QuotaMonth>();
  private readonly changedQuotas = new Set<string>();
  private readonly holds = new Map<number, StoredHold | undefined>();
  private rated: number[] | undefined;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Call it first in each transaction: forgets what is known if another connection has committed since the last one. */
  begin(): void {
    const version = this.get("PRAGMA data_version", [])?.data_version;
    if (version !== this.dataVersion) this.forget();
    this.dataVersion = version;
  }

  /** Forgets what is known; call it after a rollback. */
  forget(): void {
    this.cachedTotals = undefined;
    this.totalsChanged = false;
    this.quotas.clear();
    this.changedQuotas.clear();
    this.holds.clear();
    this.rated = undefined;
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
    this.totalsChanged = false;
    this.changedQuotas.clear();
  }

  totals(): Totals | undefined {
    if (this.cachedTotals !== undefined) return this.cachedTotals;
    const stored = this.storedTotals();
    if (stored === undefined) return undefined;
    const newer = "SELECT seq, balance FROM ledger WHERE seq > ? ORDER BY seq DESC LIMIT 1";
    const newest = this.get(newer, [stored.seq]);
    this.cachedTotals =
      newest === undefined
        ? stored
        : { ...stored, seq: Number(newest.seq), balance: BigInt(String(newest.balance)) };
    return this.cachedTotals;
  }

  /** Returns the stored totals, whose number and balance do not include the newest entries of {@link appendCharge}. */
  storedTotals(): Totals | undefined {
    const row = this.get(
      "SELECT seq, balance, held, holds, topped_up, keys_version FROM account WHERE id = ?",
      [ACCOUNT_ID],
    );
    return row === undefined ? undefined : totalsOf(row);
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

  settledCall({ key, endpoint, request, digest }: AskedCall): LedgerEntry | undefined {
    const row = this.get(
      `SELECT * FROM ledger WHERE request_id = ? AND endpoint = ? AND key_id = ? AND reference IS ? AND ${SETTLED}` +
        " ORDER BY seq LIMIT 1",
      [request, endpoint, key, digest ?? null],
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
  }

  /**
   * Appends the entry of a charged call, in a transaction that did not call {@link begin}. Returns undefined if what is
   * known of totals and quota does not suffice, the ledger has other entries, or the call was settled before.
   */
  appendCharge(call: ChargedCall, month: string): ChargedState | undefined {
    const { at, key, endpoint, request, digest, price, free } = call;
    const totals = this.cachedTotals;
    const known = this.quotas.get(month);
    if (totals === undefined || known === undefined) return undefined;
    const seq = totals.seq + 1;
    const balance = totals.balance - price;
    const outcome = free ? "free_quota" : "charged";
    const values = [seq, at, (-price).toString(), balance.toString(), key, endpoint, request, outcome];
    const { changes } = this.prepared(APPEND_CHARGE).run([...values, free ? month : null, digest ?? null]);
    if (changes === 0) return undefined;
    const quota = free ? { ...known, used: known.used + 1 } : known;
    if (free) {
      this.run("UPDATE quota SET used = ? WHERE month = ?", [quota.used, month]);
      this.quotas.set(month, quota);
    }
    this.cachedTotals = { ...totals, seq, balance };
    return { balance, quota };
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

  hold(id: number): StoredHold | undefined {
    if (this.holds.has(id)) return this.holds.get(id);
    const row = this.get("SELECT * FROM holds WHERE id = ?", [id]);
    const hold = row === undefined ? undefined : holdOf(row);
    this.holds.set(id, hold);
    return hold;
  }

  saveHold(hold: StoredHold): void {
    this.run(
      "INSERT INTO holds (id, month, free, amount, expires_at) VALUES (?, ?, ?, ?, ?)" +
        " ON CONFLICT (id) DO UPDATE SET amount = excluded.amount",
      [hold.id, hold.month, hold.free ? 1 : 0, hold.amount.toString(), hold.expiresAt],
    );
    this.holds.set(hold.id, hold);
  }

  removeHold(id: number): StoredHold | undefined {
    const hold = this.hold(id);
    if (hold !== undefined) this.run("DELETE FROM holds WHERE id = ?", [id]);
    this.holds.delete(id);
    return hold;
  }

  oldestHold(): StoredHold | undefined {
    const row = this.get("SELECT * FROM holds ORDER BY id LIMIT 1", []);
    return row === undefined ? undefined : holdOf(row);
  }

  ratedCalls(): readonly number[] {
    this.rated ??= this.all("SELECT at FROM rate_window ORDER BY at", []).map(({ at }) => Number(at));
    return this.rated;
  }

  addRatedCall(at: number): void {
    this.run("INSERT INTO rate_window (at) VALUES (?)", [at]);
    if (at >= (this.rated?.at(-1) ?? at)) this.rated?.push(at);
    else this.rated = undefined;
  }

  forgetRatedCalls(toMs: number): void {
    this.run("DELETE FROM rate_window WHERE at <= ?", [toMs]);
    this.rated = undefined;
  }

  limitRatedCalls(toMs: number): void {
    this.run("UPDATE rate_window SET at = ? WHERE at > ?", [toMs, toMs]);
    this.rated = undefined;
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
