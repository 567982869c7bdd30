import type { ErrorCode } from "../contract/errors.js";
import type { MicroUsd } from "../contract/money.js";
import type { ApiKeyInfo, CreatedApiKey } from "./api-key.js";
import type { LedgerEntry } from "./ledger-entry.js";
import type { UsageQuery, UsageRow } from "./usage.js";

/** The key and account that a request is authenticated as. */
export interface Principal {
  readonly keyId: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
}

/** The endpoint of a call, as far as billing needs it. */
export interface BillableEndpoint {
  readonly id: string;
  readonly price: MicroUsd;
  readonly freeEligible: boolean;
}

/** The effect of one call on the account, with the fields of an envelope's `meta` (service.md section 2.1). */
export interface Charge {
  readonly billed: boolean;
  readonly charged: MicroUsd;
  readonly usedFreeQuota: boolean;
  readonly freeQuotaRemaining: number;
  readonly balance: MicroUsd;
}

/** The call that a hold reserves funds for. */
export interface HeldCall {
  readonly requestId?: string;
  /** Digest of the parameters. A call with the id of an earlier one repeats it only if their digests are equal. */
  readonly digest?: string | undefined;
  /** Cancels the wait for funds. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A reservation of money or of one free call for a running call, valid across all processes of the account. It is
 * settled once, by the first `charge` or `release` that succeeds. A later `release` changes nothing. The hold of a
 * killed process expires after at most 30 seconds.
 */
export interface Hold {
  /** Money that is reserved; zero for a call that the free quota covers, or that was charged before. */
  readonly amount: MicroUsd;
  /**
   * Charges the call and writes its ledger entry. Resolves when the entry is as durable as the account's setting
   * promises; send the answer only after that. A `requestId` that this key already paid for at this endpoint is not
   * charged again: the first charge is returned.
   * @throws LakeError `ledger_write_failed`; nothing was charged
   * @throws ApiError `insufficient_credits` if the hold expired and other calls used its funds; nothing was charged
   */
  charge(requestId: string): Promise<Charge>;
  /** Releases the reservation and records the call in the ledger with amount zero. */
  release(requestId?: string, outcome?: ReleaseOutcome): Promise<Charge>;
}

/** Reason for not charging a held call: an empty result, the code of its error, or that its caller gave it up. */
export type ReleaseOutcome = "empty" | "aborted" | ErrorCode | "internal_error";

/** A call that was refused before it got a hold. */
export interface Refusal {
  readonly endpointId?: string;
  readonly requestId: string;
  readonly code: ErrorCode;
}

/** State of the account's one-minute rate window (service.md section 8). */
export interface Rate {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until a call is allowed; 0 if this one is. */
  readonly retryAfterS: number;
}

/** Current state of the account. `balance` is the sum of the ledger's amounts and includes held money. */
export interface AccountState {
  readonly balance: MicroUsd;
  readonly freeQuotaRemaining: number;
  readonly toppedUp: boolean;
}

/** Selects ledger entries. */
export interface LedgerQuery {
  /** First and last instant, both inclusive, in milliseconds since the Unix epoch. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Returns only entries with a higher number. */
  readonly afterSeq?: number;
  /** Returns only the newest so many of all entries, in order. */
  readonly newest?: number;
}

/**
 * The account of a lake: keys, rate window, quota, balance and ledger, shared by all processes that use the lake. One
 * call runs `authenticate`, `permits`, `takeRate`, `hold`, then `charge` or `release`. Every method that uses the
 * store can reject with LakeError `account_busy` (other processes held the lock for too long), `account_not_writable`,
 * `ledger_write_failed` (nothing was changed), `ledger_corrupt`, `ledger_newer_format` or `account_closed`.
 */
export interface Account {
  /** Id of the account, shared by all of its keys. */
  readonly accountId: string;
  /** Where it is kept: its file, or its address without the password. Absent of an account in memory, which no one else can open. */
  readonly place?: string | undefined;
  /** Returns the key's principal; undefined for a missing, unknown or revoked key. Compares SHA-256 digests in constant time. */
  authenticate(apiKey: string | undefined): Promise<Principal | undefined>;
  /** Returns true if the principal has exactly this scope, or `*`. */
  permits(principal: Principal, scope: string): boolean;
  /** Counts a call in the rate window, or returns how long to wait. */
  takeRate(principal: Principal): Promise<Rate>;
  /** Returns the state of the rate window without counting a call. */
  rate(): Promise<Rate>;
  /**
   * Reserves the price of a call, free quota first. Resolves to undefined if neither quota nor balance covers the price.
   * Waits if they cover it but running calls hold the rest, because those calls may release their funds. A call with a
   * request id that was charged before needs no funds.
   * @throws the signal's reason if aborted
   */
  hold(principal: Principal, endpoint: BillableEndpoint, call?: HeldCall): Promise<Hold | undefined>;
  /** Records a refused call in the ledger with amount zero. */
  refuse(principal: Principal, refusal: Refusal): Promise<Charge>;
  /** Returns balance, remaining free calls and whether the account was topped up. */
  state(): Promise<AccountState>;

  /** Lists keys, newest first, including revoked ones. Secrets are not stored. */
  listKeys(): Promise<readonly ApiKeyInfo[]>;
  /** Creates a key. Only this result contains the secret. @throws UsageError `invalid_options`, `invalid_scope` */
  createKey(options: { readonly name?: string; readonly scopes: readonly string[] }): Promise<CreatedApiKey>;
  /** Revokes a key. @throws LakeError `unknown_key` */
  revokeKey(keyId: string): Promise<ApiKeyInfo>;
  /** Creates a key with these scopes that exists in this process only and is never stored. */
  sessionKey(scopes: readonly string[]): string;
  /**
   * Adds to the balance. The first top-up raises the rate limit. A `reference` that was used before adds nothing.
   * @param amount decimal USD, such as `"25.00"`, or micro-USD as bigint
   * @throws UsageError `invalid_amount` unless the amount is positive; `invalid_options`
   */
  topUp(amount: string | number | MicroUsd, options?: { readonly reference?: string }): Promise<AccountState>;
  /** Counts calls and money by day, endpoint and key. */
  usage(query?: UsageQuery): Promise<readonly UsageRow[]>;
  /** Streams the ledger in order, up to the newest entry at the start of the iteration. */
  entries(query?: LedgerQuery): AsyncIterable<LedgerEntry>;

  /** Releases the holds of this process and closes the account. Further calls have no effect. */
  close(): Promise<void>;
}
