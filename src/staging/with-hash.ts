import { SliceError } from "../contract/errors.js";
import type { StoredRecord } from "../contract/service/unified-record.js";
import type { HashPolicy, NewRecord } from "../contract/slice/slice-item.js";
import { recordHash } from "../slice/record-hash.js";

/**
 * Completes or checks `prov.hash` of a record: an absent one is computed; a given one is compared with the record's content or,
 * under the policies `keep` and `computed`, kept.
 * @throws SliceError `hash_mismatch`; MirrorlakeError `not_canonical_json` for a record that is not valid JSON
 */
export function withHash(record: NewRecord, policy: HashPolicy): StoredRecord {
  const { prov } = record;
  if (prov.hash !== undefined && policy !== "check") return record as StoredRecord;
  const expected = recordHash(record);
  if (prov.hash === undefined) return { ...record, prov: { ...prov, hash: expected } };
  if (prov.hash === expected) return record as StoredRecord;
  throw new SliceError("hash_mismatch", `prov.hash of ${record.id} is ${prov.hash}, not ${expected}`, {
    value: prov.hash,
    remedy:
      "leave prov.hash out to have it computed, or take it from recordHash(record); where the hashes are the " +
      'source\'s own and should stay, write with hashes: "keep"',
  });
}
