import type { StoredApiKey } from "../../api-key.js";
import { ACCOUNT_ID } from "../../defaults.js";
import type { LedgerEntry } from "../../ledger-entry.js";
import { entryOf, holdOf, keyOf, type Row, totalsOf } from "../account-rows.js";
import type {
  AccountTransaction,
  AskedCall,
  EntryRange,
  QuotaMonth,
  StoredHold,
  Totals,
} from "../account-store.js";
import { callKey } from "../call-key.js";
import type { Parameters, PostgresConnection } from "./postgres-connection.js";

const SETTLED = "outcome IN ('charged', 'free_quota', 'no_charge')";
const SETTLED_OUTCOMES: readonly (string | undefined)[] = ["charged", "free_quota", "no_charge"];
const NO_CALLS: QuotaMonth = { used: 0, held: 0 };

/**
 * One transaction on PostgreSQL. What it reads is read once, and what it changes is written in a few statements by
 * {@link PostgresTransaction.flush}, for any number of calls: each statement is a way to the server and back.
 */
export class PostgresTransaction implements AccountTransaction {
  private known: { readonly totals: Totals | undefined } | undefined;
  private totalsChanged = false;
  private readonly quotas = new Map<string, QuotaMonth>();
  private readonly changedQuotas = new Set<string>();
  private appended: LedgerEntry[] = [];
  private readonly settled = new Map<string, LedgerEntry>();
  private readonly holds = new Map<number, StoredHold | undefined>();
  private readonly changedHolds = new Set<number>();
  private rated: number[] | undefined;
  private addedRated: number[] = [];

  constructor(private readonly connection: PostgresConnection) {}

  async totals(): Promise<Totals | undefined> {
    if (this.known === undefined) {
      const sql = "SELECT seq, balance, held, holds, topped_up, keys_version FROM account WHERE id = $1";
      const [row] = await this.all("totals", sql, [ACCOUNT_ID]);
      this.known = { totals: row === undefined ? undefined : totalsOf(row) };
    }
    return this.known.totals;
  }

  saveTotals(totals: Totals): void {
    this.known = { totals };
    this.totalsChanged = true;
  }

  async quota(month: string): Promise<QuotaMonth> {
    const known = this.quotas.get(month);
    if (known !== undefined) return known;
    const [row] = await this.all("quota", "SELECT used, held FROM quota WHERE month = $1", [month]);
    const quota = row === undefined ? NO_CALLS : { used: Number(row.used), held: Number(row.held) };
    this.quotas.set(month, quota);
    return quota;
  }

  saveQuota(month: string, quota: QuotaMonth): void {
    this.quotas.set(month, quota);
    this.changedQuotas.add(month);
  }

  async settledCall({ key, endpoint, request, digest }: AskedCall): Promise<LedgerEntry | undefined> {
    const here = this.settled.get(callKey({ key, endpoint, request, reference: digest }));
    if (here !== undefined) return here;
    const sql =
      "SELECT * FROM ledger WHERE request_id = $1 AND endpoint = $2 AND key_id = $3" +
      ` AND reference IS NOT DISTINCT FROM $4::TEXT AND ${SETTLED} ORDER BY seq LIMIT 1`;
    const [row] = await this.all("settled", sql, [request, endpoint, key, digest ?? null]);
    return row === undefined ? undefined : entryOf(row);
  }

  async hasTopUp(reference: string): Promise<boolean> {
    if (this.appended.some((entry) => entry.kind === "top_up" && entry.reference === reference)) return true;
    const sql = "SELECT 1 AS found FROM ledger WHERE reference = $1 AND kind = 'top_up' LIMIT 1";
    return (await this.all("top_up", sql, [reference])).length > 0;
  }

  async entries({ afterSeq, toSeq, fromMs, toMs }: EntryRange): Promise<LedgerEntry[]> {
    await this.flush();
    const sql = "SELECT * FROM ledger WHERE seq > $1 AND seq <= $2 AND at >= $3 AND at <= $4 ORDER BY seq";
    return (await this.all("entries", sql, [afterSeq, toSeq, fromMs, toMs])).map(entryOf);
  }

  append(entry: LedgerEntry): void {
    this.appended.push(entry);
    const call = callKey(entry);
    if (SETTLED_OUTCOMES.includes(entry.outcome) && !this.settled.has(call)) this.settled.set(call, entry);
  }

  async keys(): Promise<StoredApiKey[]> {
    return (await this.all("keys", "SELECT * FROM api_keys ORDER BY position")).map(keyOf);
  }

  async saveKey(key: StoredApiKey): Promise<void> {
    await this.all(
      "save_key",
      "INSERT INTO api_keys (id, position, name, sha256, scopes, created_at, revoked_at)" +
        " VALUES ($1, (SELECT COALESCE(MAX(position), 0) + 1 FROM api_keys), $2, $3, $4, $5, $6)" +
        " ON CONFLICT (id) DO UPDATE SET revoked_at = excluded.revoked_at",
      [key.id, key.name, key.sha256, JSON.stringify(key.scopes), key.created_at, key.revoked_at ?? null],
    );
  }

  async hold(id: number): Promise<StoredHold | undefined> {
    if (this.holds.has(id)) return this.holds.get(id);
    const [row] = await this.all("hold", "SELECT * FROM holds WHERE id = $1", [id]);
    const hold = row === undefined ? undefined : holdOf(row);
    this.holds.set(id, hold);
    return hold;
  }

  saveHold(hold: StoredHold): void {
    this.holds.set(hold.id, hold);
    this.changedHolds.add(hold.id);
  }

  async removeHold(id: number): Promise<StoredHold | undefined> {
    const hold = await this.hold(id);
    this.holds.set(id, undefined);
    this.changedHolds.add(id);
    return hold;
  }

  async oldestHold(): Promise<StoredHold | undefined> {
    await this.flush();
    const [row] = await this.all("oldest_hold", "SELECT * FROM holds ORDER BY id LIMIT 1");
    return row === undefined ? undefined : holdOf(row);
  }

  async ratedCalls(): Promise<readonly number[]> {
    this.rated ??= (await this.all("rated", "SELECT at FROM rate_window ORDER BY at")).map(({ at }) =>
      Number(at),
    );
    return this.rated;
  }

  async addRatedCall(at: number): Promise<void> {
    const rated = (await this.ratedCalls()) as number[];
    const later = rated.findLastIndex((time) => time <= at) + 1;
    rated.splice(later, 0, at);
    this.addedRated.push(at);
  }

  async forgetRatedCalls(toMs: number): Promise<void> {
    await this.flush();
    await this.all("forget_rated", "DELETE FROM rate_window WHERE at <= $1", [toMs]);
    this.rated = this.rated?.filter((at) => at > toMs);
  }

  async limitRatedCalls(toMs: number): Promise<void> {
    await this.flush();
    await this.all("limit_rated", "UPDATE rate_window SET at = $1 WHERE at > $1", [toMs]);
    this.rated = this.rated?.map((at) => Math.min(at, toMs));
  }

  /** Writes what was changed; call it before the commit. */
  async flush(): Promise<void> {
    await this.writeTotals();
    await this.writeQuotas();
    await this.writeEntries();
    await this.writeHolds();
    const { addedRated } = this;
    this.addedRated = [];
    if (addedRated.length > 0)
      await this.all("rate", "INSERT INTO rate_window (at) SELECT unnest($1::BIGINT[])", [addedRated]);
  }

  private async writeTotals(): Promise<void> {
    const totals = this.known?.totals;
    if (!this.totalsChanged || totals === undefined) return;
    this.totalsChanged = false;
    const { seq, balance, held, holds, toppedUp, keysVersion } = totals;
    await this.all(
      "save_totals",
      "INSERT INTO account (id, seq, balance, held, holds, topped_up, keys_version) VALUES ($1, $2, $3, $4, $5, $6, $7)" +
        " ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, balance = excluded.balance, held = excluded.held," +
        " holds = excluded.holds, topped_up = excluded.topped_up, keys_version = excluded.keys_version",
      [ACCOUNT_ID, seq, balance.toString(), held.toString(), holds, toppedUp ? 1 : 0, keysVersion],
    );
  }

  private async writeQuotas(): Promise<void> {
    for (const month of this.changedQuotas) {
      const { used, held } = this.quotas.get(month) ?? NO_CALLS;
      await this.all(
        "save_quota",
        "INSERT INTO quota (month, used, held) VALUES ($1, $2, $3)" +
          " ON CONFLICT (month) DO UPDATE SET used = excluded.used, held = excluded.held",
        [month, used, held],
      );
    }
    this.changedQuotas.clear();
  }

  private async writeEntries(): Promise<void> {
    const entries = this.appended;
    this.appended = [];
    if (entries.length === 0) return;
    await this.all(
      "append",
      "INSERT INTO ledger (seq, at, kind, amount, balance, outcome, key_id, endpoint, request_id, error_code, quota_month," +
        " reference) SELECT * FROM unnest($1::INTEGER[], $2::BIGINT[], $3::TEXT[], $4::TEXT[], $5::TEXT[], $6::TEXT[]," +
        " $7::TEXT[], $8::TEXT[], $9::TEXT[], $10::TEXT[], $11::TEXT[], $12::TEXT[])",
      [
        entries.map(({ seq }) => seq),
        entries.map(({ at }) => at),
        entries.map(({ kind }) => kind),
        entries.map(({ amount }) => amount),
        entries.map(({ balance }) => balance),
        entries.map(({ outcome }) => outcome ?? null),
        entries.map(({ key }) => key ?? null),
        entries.map(({ endpoint }) => endpoint ?? null),
        entries.map(({ request }) => request ?? null),
        entries.map(({ code }) => code ?? null),
        entries.map(({ month }) => month ?? null),
        entries.map(({ reference }) => reference ?? null),
      ],
    );
  }

  private async writeHolds(): Promise<void> {
    const changed = [...this.changedHolds];
    this.changedHolds.clear();
    const saved = changed.flatMap((id) => this.holds.get(id) ?? []);
    const removed = changed.filter((id) => this.holds.get(id) === undefined);
    if (saved.length > 0)
      await this.all(
        "save_holds",
        "INSERT INTO holds (id, month, free, amount, expires_at) SELECT * FROM unnest($1::INTEGER[], $2::TEXT[]," +
          " $3::INTEGER[], $4::TEXT[], $5::BIGINT[]) ON CONFLICT (id) DO UPDATE SET amount = excluded.amount",
        [
          saved.map(({ id }) => id),
          saved.map(({ month }) => month),
          saved.map(({ free }) => (free ? 1 : 0)),
          saved.map(({ amount }) => amount.toString()),
          saved.map(({ expiresAt }) => expiresAt),
        ],
      );
    if (removed.length > 0)
      await this.all("remove_holds", "DELETE FROM holds WHERE id = ANY($1::INTEGER[])", [removed]);
  }

  private all(name: string, sql: string, values: Parameters = []): Promise<Row[]> {
    return this.connection.rows<Row>(name, sql, values);
  }
}
