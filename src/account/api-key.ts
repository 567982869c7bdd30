import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";

/** Gives `size` random bytes. Injected, so that tests can own it; the default is the system's secure source. */
export type RandomSource = (size: number) => Uint8Array;

/** The system's source of randomness that is fit for secrets. */
export const secureRandom: RandomSource = (size) => randomBytes(size);

/** What is kept of a key. `sha256` is all that remains of the secret, in hexadecimal. */
export const StoredApiKey = z.strictObject({
  id: z.string().regex(/^key_[0-9A-Za-z]{8}$/),
  name: z.string().max(200),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  scopes: z.array(z.string()).min(1),
  /** ISO 8601, of the service clock. */
  created_at: z.iso.datetime({ offset: true }),
  revoked_at: z.iso.datetime({ offset: true }).optional(),
});
export type StoredApiKey = Readonly<z.infer<typeof StoredApiKey>>;

/** A key as it is shown: without its digest. */
export type ApiKeyInfo = Omit<StoredApiKey, "sha256">;

/** A new key with its secret, `ml_` and 32 base62 characters, which is never shown again. */
export interface CreatedApiKey extends ApiKeyInfo {
  readonly apiKey: string;
}

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The largest multiple of 62 that a byte can hold: bytes from here on are thrown away, so that no letter is likelier. */
const UNBIASED = 248;

/** `length` base62 characters, each equally likely (190 bits for 32 of them). */
export function base62(length: number, random: RandomSource): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < UNBIASED) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}

/** A new secret: `ml_` and 32 random base62 characters (decisions.md, "Ids, hashes"). */
export function newApiKey(random: RandomSource): string {
  return `ml_${base62(32, random)}`;
}

/** SHA-256 of a key, 32 bytes. */
export function digestApiKey(apiKey: string): Buffer {
  return createHash("sha256").update(apiKey, "utf8").digest();
}

/** The candidate whose digest is this one; every candidate is compared, in constant time, whether or not one fits. */
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
