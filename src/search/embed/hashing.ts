/** 32-bit FNV-1a over the UTF-8 bytes of a term, seeded. */
export function hashTerm(bytes: Uint8Array, seed: number): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b) >>> 0;
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35) >>> 0;
  return (hash ^ (hash >>> 16)) >>> 0;
}
