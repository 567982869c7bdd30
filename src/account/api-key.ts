import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";

/** Returns `size` random bytes. Injected, so that tests can control it. */
export type RandomSource = (size: number) => Uint8Array;

/** Cryptographically secure random bytes of the system. */
export const secureRandom: RandomSource = (size) => randomBytes(size);

/** A stored key. Of the secret, only its SHA-256 is kept, in hexadecimal. */
export const StoredApiKey = z.strictObject({
  id: z.string().regex(/^key_[0-9A-Za-z]{8}$/),
  name: z.string().max(200),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  scopes: z.array(z.string()).min(1),
  /** ISO 8601, by the service clock. */
  created_at: z.iso.datetime({ offset: true }),
  revoked_at: z.iso.datetime({ offset: true }).optional(),
});
export type StoredApiKey = Readonly<z.infer<typeof StoredApiKey>>;

/** A key without its digest, for display. */
export type ApiKeyInfo = Omit<StoredApiKey, "sha256">;

/** A new key with its secret: `ml_` and 32 base62 characters. The secret is not shown again. */
export interface CreatedApiKey extends ApiKeyInfo {
  readonly apiKey: string;
}

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Largest multiple of 62 in a byte. Bytes from here on are rejected, so that all characters are equally likely. */
const UNBIASED = 248;

/** Returns `length` uniformly random base62 characters (190 bits for 32 characters). */
export function base62(length: number, random: RandomSource): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < UNBIASED) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}

/** Returns a new secret: `ml_` and 32 random base62 characters (decisions.md, "Ids, hashes"). */
export function newApiKey(random: RandomSource): string {
  return `ml_${base62(32, random)}`;
}

/** Returns the SHA-256 of a key, 32 bytes. */
export function digestApiKey(apiKey: string): Buffer {
  return hash("sha256", apiKey, "buffer");
}

/** Returns the candidate with this digest. Compares every candidate in constant time, even after a match. */
export function findByDigest<T extends { readonly digest: Buffer }>(
  candidates: Iterable<T>,
  digest: Buffer,
): T | undefined {
  let found: T | undefined;
  for (const candidate of candidates) {
    if (timingSafeEqual(candidate.digest, digest)) found = candidate;
  }
  return found;
}
