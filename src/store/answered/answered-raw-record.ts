import type { StoredRecord } from "../../contract/service/unified-record.js";
import { withAnsweredHash } from "./answered-hash.js";

/** Returns the platform's own id in a record id. */
export function platformIdOf(recordId: string): string {
  return recordId.split("_").slice(2).join("_");
}

/**
 * A record as raw answers show it: with the platform's id as `extra.source_id`, as in the raw video record (service.md section 2.4), and
 * the hash of that.
 */
export function answeredRecord(record: StoredRecord): StoredRecord {
  if (record.extra !== undefined && "source_id" in record.extra) return record;
  return withAnsweredHash(record, {
    ...record,
    extra: { source_id: platformIdOf(record.id), ...record.extra },
  });
}
