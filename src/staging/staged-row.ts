import { IngestError } from "../contract/errors.js";
import { DOMAIN_PREFIX, type Platform } from "../contract/service/platforms.js";
import type { HashPolicy, NewRecord, RawItem } from "../contract/slice/slice-item.js";
import type { SqlValue } from "../duckdb/database.js";
import { type Fault, jsonFault } from "../slice/json-fault.js";
import { RAW_COLUMNS } from "../slice/raw-columns.js";
import { RECORD_COLUMNS } from "../slice/record-columns.js";
import { rawFault, recordFault } from "../slice/row-faults.js";
import { monthOf } from "./month-of.js";
import { withHash } from "./with-hash.js";

/** Longest path of a field that a message names: one of many levels has no end that helps. */
const MAX_FIELD = 200;

/**
 * The cells of a record by {@link RECORD_COLUMNS}, and the month of its capture.
 * @throws IngestError `record_not_of_platform`, `item_invalid`, `timestamp_invalid`; SliceError `hash_mismatch`
 */
export function stagedRecord(
  record: NewRecord,
  platform: Platform,
  hashes: HashPolicy,
): [row: SqlValue[], month: number] {
  const prefix = `${DOMAIN_PREFIX[platform.domain]}_${platform.code}_`;
  if (record.src !== platform.domain || !record.id.startsWith(prefix)) {
    throw new IngestError(
      "record_not_of_platform",
      `Record ${record.id} (${record.src}) does not belong to platform ${platform.slug}: its ids begin with ${prefix}`,
      { value: record.id, remedy: "correct the id, the domain or the platform in the mapping" },
    );
  }
  const month = monthOf(record.prov.ts, record.id);
  // Before the hash, which has no end for an object that is a member of itself.
  refuseFault(record.id, extraFault(record.extra));
  const stored = withHash(record, hashes);
  refuseFault(record.id, recordFault(stored));
  return [RECORD_COLUMNS.map((column) => column.of(stored)), month];
}

/**
 * The cells of a raw item by {@link RAW_COLUMNS}, and the month of its capture.
 * @throws IngestError `item_invalid`, `timestamp_invalid`
 */
export function stagedRaw(item: RawItem): [row: SqlValue[], month: number] {
  const key = `${item.platform}/${item.resource}/${item.id}`;
  const month = monthOf(item.captured_at, key);
  if (item.created_at !== undefined) monthOf(item.created_at, key);
  refuseFault(key, rawFault(item));
  return [RAW_COLUMNS.map((column) => column.of(item)), month];
}

function extraFault(extra: unknown): Fault | undefined {
  const fault = jsonFault(extra, 1);
  if (fault === undefined) return undefined;
  return { ...fault, field: fault.field === "" ? "extra" : `extra.${fault.field}` };
}

/** @throws IngestError `item_invalid` if an item has a fault: no slice may hold it */
function refuseFault(id: string, fault: Fault | undefined): void {
  if (fault === undefined) return;
  const { rule, value } = fault;
  const field = fault.field.length > MAX_FIELD ? `${fault.field.slice(0, MAX_FIELD)}…` : fault.field;
  throw new IngestError("item_invalid", `${id}: ${field} ${rule}`, {
    value: { id, field, value },
    remedy: "correct the item in the source or the mapping, or leave it out",
  });
}
