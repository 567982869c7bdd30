import { LakeError } from "../contract/errors.js";
import type { Principal } from "./account.js";
import {
  type ApiKeyInfo,
  base62,
  digestApiKey,
  findByDigest,
  newApiKey,
  type RandomSource,
  type StoredApiKey,
} from "./api-key.js";
import { checkScopes } from "./scopes.js";
import type { AccountReader, AccountTransaction } from "./store/account-store.js";

interface Entry {
  readonly digest: Buffer;
  readonly principal: Principal;
}

/** Authenticates calls by stored keys, cached until they change, and by session keys of this process. */
export class Keyring {
  private readonly accountId: string;
  private readonly random: RandomSource;
  /** By secret: this process made the keys and gave them out. A map compares seeded hashes, so its time tells nothing of a key. */
  private readonly sessionKeys = new Map<string, Principal>();
  private stored: readonly Entry[] = [];
  /** Version of the cached keys; -1 before the first read. */
  private version = -1;

  constructor(accountId: string, random: RandomSource) {
    this.accountId = accountId;
    this.random = random;
  }

  /** Returns the principal of a session key; undefined for any other key. */
  ofSession(apiKey: string): Principal | undefined {
    return this.sessionKeys.get(apiKey);
  }

  /** Returns the principal of a stored key; undefined for an unknown or revoked key. */
  async ofStore(reader: AccountReader, digest: Buffer): Promise<Principal | undefined> {
    const version = (await reader.totals())?.keysVersion ?? 0;
    if (version !== this.version) {
      const live = (await reader.keys()).filter((key) => key.revoked_at === undefined);
      this.stored = live.map((key) => ({
        digest: Buffer.from(key.sha256, "hex"),
        principal: { keyId: key.id, accountId: this.accountId, scopes: key.scopes },
      }));
      this.version = version;
    }
    return findByDigest(this.stored, digest)?.principal;
  }

  /** Creates a key that is kept in memory only. @throws UsageError `invalid_scope` */
  session(scopes: readonly string[]): string {
    const apiKey = newApiKey(this.random);
    const principal = { keyId: "session", accountId: this.accountId, scopes: checkScopes(scopes) };
    this.sessionKeys.set(apiKey, principal);
    return apiKey;
  }

  /** Creates a key with its secret without storing it. @throws UsageError `invalid_scope` */
  make(name: string, scopes: readonly string[], now: number): { apiKey: string; stored: StoredApiKey } {
    const apiKey = newApiKey(this.random);
    const stored: StoredApiKey = {
      id: `key_${base62(8, this.random)}`,
      name,
      sha256: digestApiKey(apiKey).toString("hex"),
      scopes: [...checkScopes(scopes)],
      created_at: new Date(now).toISOString(),
    };
    return { apiKey, stored };
  }
}

/** Stores a key and increments the key version, so that every process reads the keys again. */
export async function saveKey(transaction: AccountTransaction, key: StoredApiKey): Promise<void> {
  const totals = await transaction.totals();
  if (totals === undefined) throw new Error("the account has no opening entry");
  await transaction.saveKey(key);
  await transaction.saveTotals({ ...totals, keysVersion: totals.keysVersion + 1 });
}

/** Revokes a key. A repeated call keeps the first instant. @throws LakeError `unknown_key` */
export async function revokeKey(
  transaction: AccountTransaction,
  keyId: string,
  now: number,
): Promise<StoredApiKey> {
  const known = (await transaction.keys()).find((key) => key.id === keyId);
  if (known === undefined) {
    throw new LakeError("unknown_key", `No API key ${JSON.stringify(keyId)}`, {
      value: keyId,
      remedy: "`mirrorlake keys list` shows the ids of all keys.",
    });
  }
  if (known.revoked_at !== undefined) return known;
  const revoked: StoredApiKey = { ...known, revoked_at: new Date(now).toISOString() };
  await saveKey(transaction, revoked);
  return revoked;
}

/** Returns a key without its digest, for display. */
export function keyInfo({ sha256: _, ...info }: StoredApiKey): ApiKeyInfo {
  return info;
}
