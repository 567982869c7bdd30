import { z } from "zod";
import type { MicroUsd } from "../contract/money.js";
import { micros } from "../contract/money.js";
import { LIMITS } from "../contract/service/limits.js";
import { type LedgerEntry, MicroText } from "./ledger-entry.js";

/** What a ledger's entries up to number `seq` add up to. */
export const LedgerCheckpoint = z.strictObject({
  seq: z.number().int().min(0),
  balance: MicroText,
  topped_up: z.boolean(),
  /** Free calls used, by month of Asia/Singapore. */
  free_used: z.record(z.string(), z.number().int().min(0)),
  /** Latest instant of any entry, milliseconds since the Unix epoch; 0 when there is none. */
  latest_at: z.number().int().min(0),
});
export type LedgerCheckpoint = Readonly<z.infer<typeof LedgerCheckpoint>>;

/** The checkpoint of a ledger without entries. */
export const EMPTY_LEDGER: LedgerCheckpoint = {
  seq: 0,
  balance: "0",
  topped_up: false,
  free_used: {},
  latest_at: 0,
};

/** What the ledger's entries add up to. Replaying the entries from the first gives the same state on any machine. */
export class LedgerState {
  #seq: number;
  #balance: bigint;
  #toppedUp: boolean;
  #latestAt: number;
  readonly #freeUsed: Map<string, number>;

  constructor(from: LedgerCheckpoint = EMPTY_LEDGER) {
    this.#seq = from.seq;
    this.#balance = BigInt(from.balance);
    this.#toppedUp = from.topped_up;
    this.#latestAt = from.latest_at;
    this.#freeUsed = new Map(Object.entries(from.free_used));
  }

  /** Number of the newest entry; 0 before the first. */
  get seq(): number {
    return this.#seq;
  }

  /** Sum of all amounts. */
  get balance(): MicroUsd {
    return micros(this.#balance);
  }

  /** Whether any top-up was made. The sandbox balance is none (decisions.md, "Money and quota"). */
  get toppedUp(): boolean {
    return this.#toppedUp;
  }

  /** Free calls left in a month of Asia/Singapore. */
  freeRemaining(month: string): number {
    return Math.max(0, LIMITS.freeCallsPerMonth.value - (this.#freeUsed.get(month) ?? 0));
  }

  /** Adds the next entry. */
  apply(entry: LedgerEntry): void {
    this.#seq = entry.seq;
    this.#balance += BigInt(entry.amount);
    this.#latestAt = Math.max(this.#latestAt, entry.at);
    if (entry.kind === "top_up") this.#toppedUp = true;
    if (entry.month !== undefined) {
      this.#freeUsed.set(entry.month, (this.#freeUsed.get(entry.month) ?? 0) + 1);
    }
  }

  /** What it adds up to now, in the form that the header of a segment keeps. */
  checkpoint(): LedgerCheckpoint {
    return {
      seq: this.#seq,
      balance: this.#balance.toString(),
      topped_up: this.#toppedUp,
      free_used: Object.fromEntries(this.#freeUsed),
      latest_at: this.#latestAt,
    };
  }
}
