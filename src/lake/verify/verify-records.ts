import { join } from "node:path";
import type { Database } from "../../duckdb/database.js";
import { EventLoopTurn } from "../../event-loop-turn.js";
import { columnNames } from "../../slice/column.js";
import { SLICE_FILES } from "../../slice/read-slice-manifest.js";
import { RECORD_COLUMNS, recordOfRow } from "../../slice/record-columns.js";
import { recordHash } from "../../slice/record-hash.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { LAKE_DEFAULTS } from "../defaults.js";

/** Result of checking the `prov.hash` of a slice's records. */
export interface ProvenanceCheck {
  readonly records: number;
  /** Records whose hash is that of their canonical JSON (RFC 8785) without `vec` and `prov`. */
  readonly matching: number;
  /** Ids of the first records with another hash. */
  readonly others: readonly string[];
}

const NAMED = 5;

/**
 * Recomputes the hash of every record of a slice (decisions.md, "Ids, hashes").
 * @param db reads the slice's file
 */
export async function verifyProvenance(
  { dir, manifest }: SourceSlice,
  db: Database,
  signal?: AbortSignal,
): Promise<ProvenanceCheck> {
  if (!manifest.resources.some(({ name }) => name === "records")) {
    return { records: 0, matching: 0, others: [] };
  }
  const turn = new EventLoopTurn(LAKE_DEFAULTS.turnMs);
  let [records, matching] = [0, 0];
  const others: string[] = [];
  const sql = `SELECT ${columnNames(RECORD_COLUMNS)} FROM read_parquet(?)`;
  for await (const batch of db.stream(sql, [[join(dir, SLICE_FILES.records.path)]], signal)) {
    for (const row of batch) {
      if (turn.isOver()) await turn.next();
      const { prov, ...bare } = recordOfRow(row);
      records++;
      if (recordHash(bare) === prov.hash) matching++;
      else if (others.length < NAMED) others.push(bare.id);
    }
  }
  return { records, matching, others };
}
