import type { Provenance } from "../../contract/service/unified-record.js";
import { recordHash } from "../../slice/record-hash.js";

/** Something that has a hash of its content. */
interface Hashed {
  readonly prov?: Pick<Provenance, "hash">;
}

/**
 * Gives what a raw answer shows the hash of what it shows (decisions.md, "Ids, hashes"), where the stored hash is that of what is stored.
 * Any other hash is the source's own, and stays.
 */
export function withAnsweredHash<Shown extends Hashed>(stored: Hashed, shown: Shown): Shown {
  if (stored.prov === undefined || contentHash(stored) !== stored.prov.hash) return shown;
  return { ...shown, prov: { ...shown.prov, hash: contentHash(shown) } };
}

function contentHash(hashed: Hashed): string {
  return recordHash(hashed as Parameters<typeof recordHash>[0]);
}
