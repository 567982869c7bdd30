import { createHmac } from "node:crypto";

/**
 * `uid_hash` of an author: the first 16 hexadecimal digits of HMAC-SHA-256 of the platform's own id, keyed with the salt. The
 * same author has the same hash wherever the salt is the same; without the salt nobody can test a guess.
 */
export function authorHash(uid: string, salt: string): string {
  return createHmac("sha256", salt).update(uid, "utf8").digest("hex").slice(0, 16);
}
