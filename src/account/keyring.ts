import type { Clock } from "../clock.js";
import { LakeError } from "../contract/errors.js";
import type { Principal } from "./account.js";
import {
  type ApiKeyInfo,
  base62,
  type CreatedApiKey,
  digestApiKey,
  findByDigest,
  newApiKey,
  type RandomSource,
  type StoredApiKey,
} from "./api-key.js";
import { checkScopes } from "./scopes.js";

interface Entry {
  readonly digest: Buffer;
  readonly principal: Principal;
}

/** The account's keys in memory. Changing them gives the list to keep; nothing changes here until that is kept. */
export class Keyring {
  readonly #accountId: string;
  readonly #clock: Clock;
  readonly #random: RandomSource;
  #session: readonly Entry[] = [];
  #active: readonly Entry[] = [];
  #stored: readonly StoredApiKey[] = [];

  constructor(accountId: string, clock: Clock, random: RandomSource) {
    this.#accountId = accountId;
    this.#clock = clock;
    this.#random = random;
  }

  /** Puts the keys that are kept in place of all but session keys. */
  load(keys: readonly StoredApiKey[]): void {
    this.#stored = keys;
    const live = keys.filter((key) => key.revoked_at === undefined);
    const entries = live.map((key) => ({
      digest: Buffer.from(key.sha256, "hex"),
      principal: { keyId: key.id, accountId: this.#accountId, scopes: key.scopes },
    }));
    this.#active = [...entries, ...this.#session];
  }

  /** Whom a key speaks for; undefined when it is missing, unknown or revoked. */
  authenticate(apiKey: string | undefined): Principal | undefined {
    if (apiKey === undefined || apiKey === "") return undefined;
    return findByDigest(this.#active, digestApiKey(apiKey))?.principal;
  }

  /** Keys that are kept, newest first, revoked ones too. */
  list(): readonly ApiKeyInfo[] {
    return this.#stored.map(withoutDigest).reverse();
  }

  /** A key that is kept in memory only. */
  session(scopes: readonly string[]): string {
    const apiKey = newApiKey(this.#random);
    const principal = { keyId: "session", accountId: this.#accountId, scopes: checkScopes(scopes) };
    this.#session = [...this.#session, { digest: digestApiKey(apiKey), principal }];
    this.load(this.#stored);
    return apiKey;
  }

  /** A new key, and the list with it. */
  create(name: string, scopes: readonly string[]): { key: CreatedApiKey; keys: readonly StoredApiKey[] } {
    const apiKey = newApiKey(this.#random);
    const stored: StoredApiKey = {
      id: `key_${base62(8, this.#random)}`,
      name,
      sha256: digestApiKey(apiKey).toString("hex"),
      scopes: [...checkScopes(scopes)],
      created_at: this.#now(),
    };
    return { key: { ...withoutDigest(stored), apiKey }, keys: [...this.#stored, stored] };
  }

  /** The key revoked, and the list with it so. Revoking it again keeps the first instant. */
  revoke(keyId: string): { key: ApiKeyInfo; keys: readonly StoredApiKey[] } {
    const known = this.#stored.find((key) => key.id === keyId);
    if (known === undefined) {
      throw new LakeError("unknown_key", `No API key ${JSON.stringify(keyId)}`, {
        value: keyId,
        remedy: "`mirrorlake keys list` shows the ids of all keys.",
      });
    }
    const revoked: StoredApiKey = { ...known, revoked_at: known.revoked_at ?? this.#now() };
    const keys = this.#stored.map((key) => (key.id === keyId ? revoked : key));
    return { key: withoutDigest(revoked), keys };
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

function withoutDigest({ sha256: _, ...info }: StoredApiKey): ApiKeyInfo {
  return info;
}
