import { hash } from "node:crypto";
import { z } from "zod";
import { checkArgument } from "../contract/check-options.js";
import type { BareRecord } from "../contract/service/unified-record.js";
import { canonicalJson, canonicalJsonWithout } from "../contract/slice/canonical-json.js";

const NOT_HASHED: ReadonlySet<string> = new Set(["vec", "prov"]);

/**
 * `prov.hash` of a record: `0x` and the SHA-256 of the canonical JSON of the record without `vec` and `prov`
 * (decisions.md, "Ids, hashes"). A record that has these two hashes as it does without them.
 * @throws UsageError `invalid_argument` for anything but an object; MirrorlakeError `not_canonical_json`
 */
export function recordHash(record: BareRecord & Partial<Record<"vec" | "prov", unknown>>): string {
  // Every record of a slice comes by here: the schema is asked only for what cannot be a record.
  if (typeof record !== "object" || record === null)
    checkArgument(z.looseObject({}), record, "record", "recordHash");
  return `0x${hash("sha256", canonicalJsonWithout(record, NOT_HASHED), "hex")}`;
}

/** First 32 hexadecimal digits of the SHA-256 of canonical JSON: the id of payloads without one. */
export function payloadId(payload: unknown): string {
  return hash("sha256", canonicalJson(payload), "hex").slice(0, 32);
}
