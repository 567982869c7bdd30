import { createHmac } from "node:crypto";

/**
 * `uid_hash` of an author: the first 16 hexadecimal digits of HMAC-SHA-256 of the platform's author id, keyed with the salt.
 * Equal salts give equal hashes; without the salt a guessed id cannot be tested.
 */
export function authorHash(uid: string, salt: string): string {
  return createHmac("sha256", salt).update(uid, "utf8").digest("hex").slice(0, 16);
}

const AUTHORS_KEPT = 65_536;

/** {@link authorHash} with a cache: most authors occur repeatedly, and hashing takes a large share of ingestion time. */
export function cachedAuthorHash(): (uid: string, salt: string) => string {
  let cache = new Map<string, string>();
  let saltOf = "";
  return (uid, salt) => {
    if (salt !== saltOf || cache.size >= AUTHORS_KEPT) cache = new Map();
    saltOf = salt;
    let hash = cache.get(uid);
    if (hash === undefined) {
      hash = authorHash(uid, salt);
      cache.set(uid, hash);
    }
    return hash;
  };
}
