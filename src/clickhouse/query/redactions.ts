import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { RawItem } from "../../contract/slice/slice-item.js";
import { type Load, loadList } from "../committed-loads.js";
import type { Connection } from "../connection.js";

/** Items that are shown otherwise than they came, since something that they quote or are derived from was removed. */
export interface Redactions {
  readonly records: ReadonlyMap<string, StoredRecord>;
  readonly raw: ReadonlyMap<string, RawItem>;
  /** The `drop_7d` of records whose price points were removed; null: none. */
  readonly drops: readonly {
    readonly load: number;
    readonly ordinal: number;
    readonly drop: number | null;
  }[];
}

/** The key of a row in {@link Redactions}. */
export function placeKey(load: number, ordinal: number): string {
  return `${load}/${ordinal}`;
}

/** Reads the items of some loads that removals change. */
export async function readRedactions(
  connection: Connection,
  loads: readonly Load[],
  removing: readonly Load[],
): Promise<Redactions> {
  const records = new Map<string, StoredRecord>();
  const raw = new Map<string, RawItem>();
  const drops: { load: number; ordinal: number; drop: number | null }[] = [];
  if (removing.length === 0) return { records, raw, drops };
  // Of several, the last has all that was removed until then.
  const rows = await connection.rows<["records" | "raw", number, number, string, number, number | null]>(
    `SELECT kind, load, ordinal, item, priced, drop FROM redactions
      WHERE by IN (${loadList(removing)}) AND load IN (${loadList(loads)})
      ORDER BY by DESC LIMIT 1 BY kind, load, ordinal`,
  );
  for (const [kind, load, ordinal, item, priced, drop] of rows) {
    if (kind === "records") records.set(placeKey(load, ordinal), JSON.parse(item) as StoredRecord);
    else raw.set(placeKey(load, ordinal), JSON.parse(item) as RawItem);
    if (priced !== 0) drops.push({ load, ordinal, drop });
  }
  return { records, raw, drops };
}
