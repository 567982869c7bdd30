import { createHmac } from "node:crypto";

/**
 * `uid_hash` of an author: the first 16 hexadecimal digits of HMAC-SHA-256 of the platform's own id, keyed with the salt. The
 * same author has the same hash wherever the salt is the same; without the salt nobody can test a guess.
 */
export function authorHash(uid: string, salt: string): string {
  return createHmac("sha256", salt).update(uid, "utf8").digest("hex").slice(0, 16);
}

const AUTHORS_KEPT = 65_536;

/** {@link authorHash} that remembers authors: most of them come more than once, and hashing is a good part of ingestion. */
export function rememberingAuthorHash(): (uid: string, salt: string) => string {
  let known = new Map<string, string>();
  let saltOf = "";
  return (uid, salt) => {
    if (salt !== saltOf || known.size >= AUTHORS_KEPT) known = new Map();
    saltOf = salt;
    let hash = known.get(uid);
    if (hash === undefined) {
      hash = authorHash(uid, salt);
      known.set(uid, hash);
    }
    return hash;
  };
}
