import { LakeError } from "../contract/errors.js";
import type { RowSet } from "../contract/lake/row-set.js";

/** Refuses rows that were removed from the lake. @throws LakeError `record_removed` */
export function refuseRemoved(rows: readonly number[], removed: RowSet): void {
  const gone = removed.count === 0 ? undefined : rows.find((row) => row < removed.size && removed.has(row));
  if (gone === undefined) return;
  throw new LakeError("record_removed", `Row ${gone} was removed from the lake`, {
    value: gone,
    remedy: "Query again: this row is from a result older than the removal.",
  });
}
