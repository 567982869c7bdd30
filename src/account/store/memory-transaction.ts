import type { StoredApiKey } from "../api-key.js";
import type { LedgerEntry } from "../ledger-entry.js";
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
import { callKey } from "./call-key.js";

/** Number of new entries after which old entries are deleted in one batch. */
const FORGET_EVERY = 100;
const NO_CALLS: QuotaMonth = { used: 0, held: 0 };
const SETTLED: readonly (string | undefined)[] = ["charged", "free_quota", "no_charge"];

/** Consecutive transactions on an account in memory. What one changes is undone by {@link MemoryTransaction.rollBack}. */
export class MemoryTransaction implements AccountTransaction {
  private stored: Totals | undefined;
  private readonly quotas = new Map<string, QuotaMonth>();
  /** Entries by number, ascending. */
  private readonly ledger = new Map<number, LedgerEntry>();
  private readonly settled = new Map<string, LedgerEntry>();
  private readonly topUps = new Map<string, LedgerEntry>();
  private readonly byId = new Map<string, StoredApiKey>();
  private readonly holds = new Map<number, StoredHold>();
  /** Ascending. */
  private rated: number[] = [];
  private undo: (() => void)[] = [];

  /** @param keepEntries number of newest ledger entries to keep */
  constructor(private readonly keepEntries: number) {}

  /** Ends a transaction whose changes stay. */
  commit(): void {
    this.undo = [];
    this.forgetOld();
  }

  /** Ends a transaction as if it had not been. */
  rollBack(): void {
    for (const step of this.undo.reverse()) step();
    this.undo = [];
  }

  totals(): Totals | undefined {
    return this.stored;
  }

  saveTotals(totals: Totals): void {
    const before = this.stored;
    this.undo.push(() => {
      this.stored = before;
    });
    this.stored = totals;
  }

  quota(month: string): QuotaMonth {
    return this.quotas.get(month) ?? NO_CALLS;
  }

  saveQuota(month: string, quota: QuotaMonth): void {
    this.put(this.quotas, month, quota);
  }

  settledCall({ key, endpoint, request, digest }: AskedCall): LedgerEntry | undefined {
    return this.settled.get(callKey({ key, endpoint, request, reference: digest }));
  }

  hasTopUp(reference: string): boolean {
    return this.topUps.has(reference);
  }

  entries({ afterSeq, toSeq, fromMs, toMs }: EntryRange): LedgerEntry[] {
    const first = Math.max(afterSeq + 1, this.ledger.keys().next().value ?? 1);
    const last = Math.min(toSeq, this.stored?.seq ?? 0);
    const found: LedgerEntry[] = [];
    for (let seq = first; seq <= last; seq += 1) {
      const entry = this.ledger.get(seq);
      if (entry !== undefined && entry.at >= fromMs && entry.at <= toMs) found.push(entry);
    }
    return found;
  }

  append(entry: LedgerEntry): void {
    const { seq, at, kind, amount, balance, outcome, key, endpoint, request, code, month, reference } = entry;
    const kept = { seq, at, kind, amount, balance, outcome, key, endpoint, request, code, month, reference };
    this.put(this.ledger, seq, kept);
    if (SETTLED.includes(outcome)) {
      const call = callKey(kept);
      if (!this.settled.has(call)) this.put(this.settled, call, kept);
    }
    if (kind === "top_up" && reference !== undefined) this.put(this.topUps, reference, kept);
  }

  /**
   * Appends the entry of a charged call outside of a transaction. Returns undefined before the opening entry, and for a call that was
   * settled before.
   */
  appendCharge(call: ChargedCall, month: string): ChargedState | undefined {
    const { at, key, endpoint, request, digest, price, free } = call;
    if (this.stored === undefined || this.settledCall(call) !== undefined) return undefined;
    const seq = this.stored.seq + 1;
    const balance = this.stored.balance - price;
    const outcome = free ? "free_quota" : "charged";
    const paid = { amount: (-price).toString(), balance: balance.toString(), outcome } as const;
    const asked = { key, endpoint, request, reference: digest };
    this.append({ seq, at, kind: "call", ...paid, ...asked, month: free ? month : undefined });
    const known = this.quota(month);
    const quota = free ? { ...known, used: known.used + 1 } : known;
    if (free) this.quotas.set(month, quota);
    this.stored = { ...this.stored, seq, balance };
    this.commit();
    return { balance, quota };
  }

  keys(): StoredApiKey[] {
    return [...this.byId.values()];
  }

  saveKey(key: StoredApiKey): void {
    const { id, name, sha256, scopes, created_at, revoked_at } = key;
    const known = this.byId.get(id) ?? { id, name, sha256, scopes: [...scopes], created_at };
    this.put(this.byId, id, { ...known, revoked_at });
  }

  hold(id: number): StoredHold | undefined {
    return this.holds.get(id);
  }

  saveHold(hold: StoredHold): void {
    this.put(this.holds, hold.id, { ...(this.holds.get(hold.id) ?? hold), amount: hold.amount });
  }

  removeHold(id: number): StoredHold | undefined {
    const hold = this.holds.get(id);
    if (hold !== undefined) {
      this.undo.push(() => this.holds.set(id, hold));
      this.holds.delete(id);
    }
    return hold;
  }

  oldestHold(): StoredHold | undefined {
    let oldest: StoredHold | undefined;
    for (const hold of this.holds.values())
      if (hold.id < (oldest?.id ?? Number.POSITIVE_INFINITY)) oldest = hold;
    return oldest;
  }

  ratedCalls(): readonly number[] {
    return this.rated;
  }

  addRatedCall(at: number): void {
    const { rated } = this;
    if (at < (rated.at(-1) ?? at)) {
      const later = rated.findLastIndex((time) => time <= at) + 1;
      this.setRated(rated.toSpliced(later, 0, at));
      return;
    }
    rated.push(at);
    this.undo.push(() => rated.pop());
  }

  forgetRatedCalls(toMs: number): void {
    const kept = this.rated.findIndex((at) => at > toMs);
    if (kept !== 0 && this.rated.length > 0) this.setRated(kept < 0 ? [] : this.rated.slice(kept));
  }

  limitRatedCalls(toMs: number): void {
    if ((this.rated.at(-1) ?? toMs) > toMs) this.setRated(this.rated.map((at) => Math.min(at, toMs)));
  }

  private setRated(rated: number[]): void {
    const before = this.rated;
    this.undo.push(() => {
      this.rated = before;
    });
    this.rated = rated;
  }

  private put<K, V>(map: Map<K, V>, key: K, value: V): void {
    const before = map.get(key);
    this.undo.push(() => {
      if (before === undefined) map.delete(key);
      else map.set(key, before);
    });
    map.set(key, value);
  }

  /** Deletes old entries, with what is known of them. */
  private forgetOld(): void {
    if (this.ledger.size < this.keepEntries + FORGET_EVERY) return;
    for (const [seq, entry] of this.ledger) {
      if (this.ledger.size <= this.keepEntries) return;
      this.ledger.delete(seq);
      const { reference } = entry;
      const call = callKey(entry);
      if (this.settled.get(call) === entry) this.settled.delete(call);
      if (reference !== undefined && this.topUps.get(reference) === entry) this.topUps.delete(reference);
    }
  }
}
