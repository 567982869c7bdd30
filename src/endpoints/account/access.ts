import type { MicroUsd } from "../../contract/money.js";

/** The authenticated key of a call. */
export interface Caller {
  readonly keyId: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
}

/** A listed API key, without its secret. */
export interface KeyInfo {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** ISO 8601. */
  readonly created_at: string;
  /** ISO 8601; absent while the key is valid. */
  readonly revoked_at?: string | undefined;
}

/** The part of the caller's account that account endpoints use. `Account` of the account layer has this shape. */
export interface AccountAccess {
  state(): Promise<{
    readonly balance: MicroUsd;
    readonly freeQuotaRemaining: number;
    readonly toppedUp: boolean;
  }>;
  rate(): Promise<{ readonly limit: number; readonly remaining: number }>;
  listKeys(): Promise<readonly KeyInfo[]>;
  createKey(options: {
    readonly name?: string;
    readonly scopes: readonly string[];
  }): Promise<KeyInfo & { readonly apiKey: string }>;
  revokeKey(keyId: string): Promise<KeyInfo>;
  topUp(
    amount: MicroUsd,
    options?: { readonly reference?: string },
  ): Promise<{ readonly balance: MicroUsd; readonly toppedUp: boolean }>;
  usage(query?: {
    readonly fromMs?: number;
    readonly toMs?: number;
    readonly by?: readonly ("day" | "endpoint" | "key")[];
  }): Promise<
    readonly {
      readonly day?: string;
      readonly endpoint?: string;
      readonly key?: string;
      readonly calls: number;
      readonly charged: number;
      readonly free: number;
      readonly empty: number;
      readonly errors: number;
      readonly spent: MicroUsd;
    }[]
  >;
  entries(query?: {
    readonly fromMs?: number;
    readonly toMs?: number;
    readonly afterSeq?: number;
  }): AsyncIterable<ListedEntry>;
}

/** An entry of the ledger as handlers read it. */
export interface ListedEntry {
  readonly seq: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly kind: string;
  /** Micro-USD as decimal digits. */
  readonly amount: string;
  readonly balance: string;
  readonly outcome?: string | undefined;
  readonly key?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly request?: string | undefined;
  readonly code?: string | undefined;
  readonly reference?: string | undefined;
}
