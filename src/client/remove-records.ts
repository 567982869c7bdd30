import { isClickHouseAddress } from "../clickhouse/clickhouse-address.js";
import { removeClickHouse } from "../clickhouse/removals/remove-clickhouse.js";
import type { RemovalTarget } from "../contract/lake/removal.js";
import {
  type RemoveOptions,
  type RemoveReport,
  removeRecords as removeFromFolder,
} from "../lake/removals/remove-records.js";

/**
 * Removes records, raw items or authors from a lake, in a folder or on ClickHouse, for good: from every answer at once, in every
 * process that has the lake open, and from whatever is installed later. All or none. There is no undo.
 * @throws UsageError `removal_reason_missing`, `invalid_takedown`; LakeError `lake_busy`, `cluster_busy`, `lake_not_found`,
 * `removals_corrupt`, `cluster_*`; the signal's reason when aborted
 */
export async function removeRecords(
  targets: readonly RemovalTarget[],
  options: RemoveOptions,
): Promise<RemoveReport> {
  const lake: unknown = options?.lake;
  return typeof lake === "string" && isClickHouseAddress(lake)
    ? removeClickHouse(targets, { ...options, lake })
    : removeFromFolder(targets, options);
}
