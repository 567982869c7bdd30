import type { ErrorCode } from "../contract/errors.js";
import type { MicroUsd } from "../contract/money.js";
import type { ApiKeyInfo, CreatedApiKey } from "./api-key.js";
import type { LedgerEntry } from "./ledger-entry.js";
import type { UsageQuery, UsageRow } from "./usage.js";

/** Who a request speaks for. */
export interface Principal {
  readonly keyId: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
}

/** What the account needs to know of the endpoint that a call is for. */
export interface BillableEndpoint {
  readonly id: string;
  readonly price: MicroUsd;
  readonly freeEligible: boolean;
}

/** What one call did to the account, in the terms of an envelope's `meta` (service.md section 2.1). */
export interface Charge {
  readonly billed: boolean;
  readonly charged: MicroUsd;
  readonly usedFreeQuota: boolean;
  readonly freeQuotaRemaining: number;
  readonly balance: MicroUsd;
}

/** The call that a hold is for. */
export interface HeldCall {
  readonly requestId?: string;
  /** Ends the wait for funds. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Funds or one free call reserved for a call under way, among all processes of the account. It is settled once: the
 * first of `charge` and `release` that succeeds decides, and a later `release` changes nothing. A hold that its process
 * does not settle, because it was killed, counts for 30 seconds at most.
 */
export interface Hold {
  /**
   * Takes what is held and writes the ledger entry. Resolves when the entry is as safe as the account's durability
   * promises; only then may the answer leave. A `requestId` that this key was already charged for at this endpoint
   * is not charged again: the first charge is returned.
   * @throws LakeError `ledger_write_failed`: nothing was charged. ApiError `insufficient_credits` for a call that took
   * longer than its hold's lease, when its funds went to others meanwhile: nothing was charged.
   */
  charge(requestId: string): Promise<Charge>;
  /** Gives back what is held, and enters the call in the ledger at zero. */
  release(requestId?: string, outcome?: ReleaseOutcome): Promise<Charge>;
}

/** Why a held call is not charged: its result is empty, or it failed with an error. */
export type ReleaseOutcome = "empty" | ErrorCode | "internal_error";

/** A call that was refused before anything was held. */
export interface Refusal {
  readonly endpointId?: string;
  readonly requestId: string;
  readonly code: ErrorCode;
}

/** The account's place in its minute window (service.md section 8). */
export interface Rate {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until a call would be allowed; 0 when this one is. */
  readonly retryAfterS: number;
}

/** The account now. `balance` is the sum of the ledger's amounts; what is held is still part of it. */
export interface AccountState {
  readonly balance: MicroUsd;
  readonly freeQuotaRemaining: number;
  readonly toppedUp: boolean;
}

/** Which entries of the ledger. */
export interface LedgerQuery {
  /** First and last instant, both inclusive, in milliseconds since the Unix epoch. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Number of the entry after which to begin. */
  readonly afterSeq?: number;
}

/**
 * One account of a lake: keys, rate window, quota, balance and ledger, shared by all processes that use the lake. A call
 * is `authenticate`, `permits`, `takeRate`, `hold`, and at last `charge` or `release`. Every method that touches the
 * store rejects with LakeError `account_busy` when other processes keep it busy for too long, `account_not_writable`,
 * `ledger_write_failed` (nothing was changed), `ledger_corrupt`, `ledger_newer_format` or `account_closed`.
 */
export interface Account {
  /** Id of the account; the same for all of its keys. */
  readonly accountId: string;
  /** The key's principal, or undefined for a missing, unknown or revoked key. Constant time over SHA-256 digests. */
  authenticate(apiKey: string | undefined): Promise<Principal | undefined>;
  /** Whether the principal has exactly this scope, or `*`. */
  permits(principal: Principal, scope: string): boolean;
  /** Counts a call in the account's minute, or says how long to wait. */
  takeRate(principal: Principal): Promise<Rate>;
  /** The minute as it stands, counting nothing. */
  rate(): Promise<Rate>;
  /**
   * Sets aside what the call may cost, free quota first; undefined when neither quota nor balance covers it. Where they
   * do, but all that is left is held by calls under way, it waits for those: they may yet come to nothing. A call with a
   * request id that was charged before needs no funds.
   * @throws the signal's reason
   */
  hold(principal: Principal, endpoint: BillableEndpoint, call?: HeldCall): Promise<Hold | undefined>;
  /** Notes a refused call in the ledger, at zero. */
  refuse(principal: Principal, refusal: Refusal): Promise<Charge>;
  /** The account as it stands. */
  state(): Promise<AccountState>;

  /** Keys, newest first, revoked ones too. Secrets are not among what is kept. */
  listKeys(): Promise<readonly ApiKeyInfo[]>;
  /** Makes a key; the answer alone ever holds its secret. */
  createKey(options: { readonly name?: string; readonly scopes: readonly string[] }): Promise<CreatedApiKey>;
  /** @throws LakeError `unknown_key` */
  revokeKey(keyId: string): Promise<ApiKeyInfo>;
  /** A key with these scopes that lives in this process only and is written nowhere. */
  sessionKey(scopes: readonly string[]): string;
  /**
   * Adds to the balance; the first one lifts the rate limit. A `reference` that was used before adds nothing.
   * @throws UsageError `invalid_amount` unless the amount is positive.
   */
  topUp(amount: MicroUsd, options?: { readonly reference?: string }): Promise<AccountState>;
  /** Calls and money by day, endpoint and key. */
  usage(query?: UsageQuery): Promise<readonly UsageRow[]>;
  /** The ledger in order, streamed, up to the entry that is the newest when it begins. */
  entries(query?: LedgerQuery): AsyncIterable<LedgerEntry>;

  /** Gives back what calls of this process have reserved, and closes the account. Calling it again changes nothing. */
  close(): Promise<void>;
}
