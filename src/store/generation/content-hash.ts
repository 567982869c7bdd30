import { createHash, type Hash } from "node:crypto";
import { join } from "node:path";
import { RowSet } from "../../contract/lake/row-set.js";
import { Database } from "../../duckdb/database.js";
import { BUILD_DEFAULTS } from "../../duckdb/defaults.js";
import { type Sorted, type SortLimits, sortRanges } from "../../duckdb/sort-ranges.js";
import { EventLoopTurn } from "../../event-loop-turn.js";
import { columnNames, type TableRow } from "../../slice/column.js";
import { RAW_COLUMNS, rawOfRow } from "../../slice/raw-columns.js";
import { redactRaw } from "../removals/redact.js";
import { type RemovedRows, redactedOf } from "../removals/removed-rows.js";
import { type LineColumn, lineOf, lineOfParts, lineParts } from "./content-lines.js";
import { GENERATION_FILES, readGenerationManifest, rowCounts } from "./generation-manifest.js";

/** Memory of the engine. */
const MEMORY = "512MB";
/** What is sorted at once: more runs out of that memory, though it may spill. */
const SORTED: SortLimits = { sortRows: 250_000, sortBytes: 64 << 20 };

/** Milliseconds of a turn of the event loop in which rows are hashed. */
const TURN_MS = 10;

/** Characters that are hashed at once. */
const TEXT_CHARACTERS = 131_072;

/** Record columns covered by the hash; `prov_hash` covers the content. */
const RECORD_FACTS = ["id", "prov_hash", "prov_ts", "prov_source"] as const;

/** Options of {@link contentHash}. */
export interface ContentHashOptions {
  /** Folder for data that does not fit into memory. */
  readonly tempDirectory?: string;
  /** Called before the first row and as rows are hashed, with how many are done of how many. */
  readonly onRows?: ((done: number, total: number) => void) | undefined;
  /** What is sorted at once; the hash does not depend on it. */
  readonly sort?: SortLimits;
  readonly signal?: AbortSignal | undefined;
}

/**
 * SHA-256 of a generation's visible content: id, hash, capture time and source of each record in id order, then all columns of
 * each raw item in the order of platform, resource and id; one JSON line each. It does not depend on slices, segments, the order
 * of installs or the indexes.
 * @param removed rows hidden by removals
 */
export async function contentHash(
  dir: string,
  removed: RemovedRows,
  options: ContentHashOptions = {},
): Promise<string> {
  const { signal, tempDirectory, sort = SORTED } = options;
  const manifest = await readGenerationManifest(dir);
  const rows = rowCounts(manifest);
  let done = 0;
  const onRows = (more: number) => {
    done += more;
    options.onRows?.(done, manifest.liveRecords + manifest.liveRaw);
  };
  onRows(0);
  const hashes = new Map(
    [...removed.priceChanges, ...removed.redactedRecords].map(({ row, hash }) => [row, hash]),
  );
  const redactions = new Map(removed.redactedRaw.map((redaction) => [redaction.row, redactedOf(redaction)]));
  const db = await Database.openKept(join(dir, GENERATION_FILES.database), {
    readOnly: true,
    memoryLimit: MEMORY,
    threads: BUILD_DEFAULTS.threads,
    tempDirectory,
  });
  const hash = createHash("sha256");
  try {
    await addLines(db, hash, {
      table: "records",
      columns: RECORD_FACTS.map((name) => ({ name, type: "VARCHAR" })),
      sorted: { rows: rows.records, keys: ["id"], bytes: "256", limits: sort },
      hidden: RowSet.of(rows.records, removed.records),
      changed: [...hashes.keys()],
      change: (record) =>
        RECORD_FACTS.map((name) => (name === "prov_hash" ? hashes.get(record.row as number) : record[name])),
      onRows,
      signal,
    });
    await addLines(db, hash, {
      table: "raw",
      columns: RAW_COLUMNS,
      sorted: {
        rows: rows.raw,
        keys: ["platform", "resource", "id"],
        bytes: "512 + 2 * strlen(data)",
        limits: sort,
      },
      hidden: RowSet.of(rows.raw, removed.raw),
      changed: [...redactions.keys()],
      change: (item) => {
        const { data } = redactRaw(rawOfRow(item), redactions.get(item.row as number)!);
        return RAW_COLUMNS.map(({ name }) => (name === "data" ? JSON.stringify(data) : item[name]));
      },
      onRows,
      signal,
    });
    return hash.digest("hex");
  } finally {
    await db.close();
  }
}

/** The rows of a table that are hashed. */
interface Hashed {
  readonly table: "records" | "raw";
  readonly columns: readonly LineColumn[];
  readonly sorted: Omit<Sorted, "from"> & { readonly limits: SortLimits };
  readonly hidden: RowSet;
  /** Rows that are shown otherwise than they are stored, and the values that they are shown with. */
  readonly changed: readonly number[];
  readonly change: (row: TableRow) => unknown[];
  readonly onRows: (more: number) => void;
  readonly signal: AbortSignal | undefined;
}

/** Hashes a line of each row that is not hidden. The engine makes them: values of each column would take twice the time. */
async function addLines(
  db: Database,
  hash: Hash,
  { table, columns, sorted, hidden, changed, change, onRows, signal }: Hashed,
) {
  const lines = new Map<number, string>();
  if (changed.length > 0) {
    const sql = `SELECT "row", ${columnNames(columns)} FROM ${table} WHERE "row" IN (SELECT unnest(?::BIGINT[]))`;
    for await (const batch of db.stream(sql, [changed], signal))
      for (const row of batch) lines.set(row.row as number, lineOf(change(row)));
  }
  const parts = lineParts(columns);
  const turn = new EventLoopTurn(TURN_MS);
  let text = "";
  const select = `SELECT "row", ${parts.join(", ")} FROM ${table}`;
  for (const { where, values } of await sortRanges(db, { ...sorted, from: table }, sorted.limits)) {
    const sql = `${select} ${where} ORDER BY ${sorted.keys.join(", ")}`;
    for await (const batch of db.stream(sql, values, signal)) {
      for (const shown of batch) {
        const row = shown.row as number;
        if (hidden.has(row)) continue;
        text += lines.get(row) ?? lineOfParts(shown, parts.length);
        if (text.length < TEXT_CHARACTERS) continue;
        hash.update(text, "utf8");
        text = "";
        if (turn.isOver()) await turn.next();
      }
      onRows(batch.length);
    }
  }
  hash.update(text, "utf8");
}
