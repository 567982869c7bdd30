import { createHash } from "node:crypto";
import { join } from "node:path";
import { RowSet } from "../../contract/lake/row-set.js";
import { Database } from "../../duckdb/database.js";
import { BUILD_DEFAULTS } from "../../duckdb/defaults.js";
import { EventLoopTurn } from "../../event-loop-turn.js";
import { columnNames } from "../../slice/column.js";
import { RAW_COLUMNS, rawOfRow } from "../../slice/raw-columns.js";
import { redactRaw } from "../removals/redact.js";
import { type RemovedRows, redactedOf } from "../removals/removed-rows.js";
import { GENERATION_FILES, readGenerationManifest, rowCounts } from "./generation-manifest.js";

/** Milliseconds of a turn of the event loop in which rows are hashed. */
const TURN_MS = 10;

/** Record columns covered by the hash; `prov_hash` covers the content. */
const RECORD_FACTS = ["id", "prov_hash", "prov_ts", "prov_source"] as const;

/**
 * SHA-256 of a generation's visible content: id, hash, capture time and source of each record in id order, then all columns of
 * each raw item in the order of platform, resource and id; one JSON line each. It does not depend on slices, segments, the order
 * of installs or the indexes.
 * @param removed rows hidden by removals
 */
export async function contentHash(
  dir: string,
  removed: RemovedRows,
  options: { readonly tempDirectory?: string; readonly signal?: AbortSignal } = {},
): Promise<string> {
  const { signal, tempDirectory } = options;
  const rows = rowCounts(await readGenerationManifest(dir));
  const tombstones = {
    records: RowSet.of(rows.records, removed.records),
    raw: RowSet.of(rows.raw, removed.raw),
  };
  const hashes = new Map(
    [...removed.priceChanges, ...removed.redactedRecords].map(({ row, hash }) => [row, hash]),
  );
  const redactions = new Map(removed.redactedRaw.map((redaction) => [redaction.row, redactedOf(redaction)]));
  const hash = createHash("sha256");
  const turn = new EventLoopTurn(TURN_MS);
  const db = await Database.openKept(join(dir, GENERATION_FILES.database), {
    readOnly: true,
    memoryLimit: BUILD_DEFAULTS.memoryLimit,
    threads: BUILD_DEFAULTS.threads,
    tempDirectory,
  });
  const line = (values: readonly unknown[]) => hash.update(`${JSON.stringify(values)}\n`, "utf8");
  try {
    const records = db.stream(
      `SELECT "row", ${RECORD_FACTS.join(", ")} FROM records ORDER BY id`,
      [],
      signal,
    );
    for await (const batch of records) {
      for (const record of batch) {
        if (turn.isOver()) await turn.next();
        const row = record.row as number;
        if (tombstones.records.has(row)) continue;
        line(
          RECORD_FACTS.map((name) =>
            name === "prov_hash" ? (hashes.get(row) ?? record[name]) : record[name],
          ),
        );
      }
    }
    const raw = db.stream(
      `SELECT "row", ${columnNames(RAW_COLUMNS)} FROM raw ORDER BY platform, resource, id`,
      [],
      signal,
    );
    for await (const batch of raw) {
      for (const item of batch) {
        if (turn.isOver()) await turn.next();
        const row = item.row as number;
        if (tombstones.raw.has(row)) continue;
        const redacted = redactions.get(row);
        const data =
          redacted === undefined ? item.data : JSON.stringify(redactRaw(rawOfRow(item), redacted).data);
        line(RAW_COLUMNS.map(({ name }) => (name === "data" ? data : item[name])));
      }
    }
    return hash.digest("hex");
  } finally {
    await db.close();
  }
}
