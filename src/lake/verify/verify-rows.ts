import { isDeepStrictEqual } from "node:util";
import type { Database } from "../../duckdb/database.js";
import { EventLoopTurn } from "../../event-loop-turn.js";
import { columnNames, type TableRow } from "../../slice/column.js";
import { RAW_COLUMNS, rawOfRow } from "../../slice/raw-columns.js";
import { RECORD_COLUMNS, recordOfRow } from "../../slice/record-columns.js";
import { recordHash } from "../../slice/record-hash.js";
import type { openGeneration } from "../../store/generation/open-generation.js";
import { findPriceChanges } from "../../store/generation/price-changes.js";
import { RAW_WORDS, RAW_WORDS_BEFORE } from "../../store/raw-words.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { sameItem } from "./same-item.js";
import type { Wrong } from "./verify-against-slices.js";

type GenerationCorpus = Awaited<ReturnType<typeof openGeneration>>;

/**
 * Compares every record of a generation's database with its row store, key table and filter columns, and what is derived of it with
 * what it is derived from. Returns the number of rows, and some of them.
 */
export async function verifyRecordRows(
  corpus: GenerationCorpus,
  db: Database,
  wrong: Wrong,
  options: { readonly onRows?: (rows: number) => void; readonly signal?: AbortSignal },
): Promise<{ rows: number; sample: number[] }> {
  const step = Math.max(1, Math.floor(corpus.recordCount / LAKE_DEFAULTS.verifySample));
  const sample: number[] = [];
  const turn = new EventLoopTurn(LAKE_DEFAULTS.turnMs);
  let [rows, differing] = [0, 0];
  const sql = `SELECT "row", ${columnNames(RECORD_COLUMNS)}, price_drop_given, prov_hash_given FROM records`;
  for await (const batch of db.stream(sql, [], options.signal)) {
    const stored = await corpus.records(batch.map(({ row }) => row as number));
    for (const [i, found] of batch.entries()) {
      if (turn.isOver()) await turn.next();
      const row = found.row as number;
      const problem = await recordProblem(corpus, found, stored[i]!);
      if (problem !== undefined) {
        wrong(problem[0], problem[1], row);
        differing++;
      }
      if (rows++ % step === 0) sample.push(row);
    }
    options.onRows?.(rows);
    if (differing >= LAKE_DEFAULTS.verifyProblems) return { rows: corpus.recordCount, sample };
  }
  for (const { row } of (await findPriceChanges(db, { signal: options.signal })).slice(
    0,
    LAKE_DEFAULTS.verifyProblems,
  ))
    wrong(
      "price_change_differs",
      `The price change of row ${row} does not follow from its price points`,
      row,
    );
  return { rows, sample };
}

async function recordProblem(
  corpus: GenerationCorpus,
  found: TableRow,
  stored: Awaited<ReturnType<GenerationCorpus["records"]>>[number],
): Promise<readonly [code: string, message: string] | undefined> {
  const row = found.row as number;
  const record = recordOfRow(found);
  const { id, platform, src, lang, prov } = record;
  if (!sameItem(stored, record))
    return ["row_store_differs", `Row ${row} is not in the row store what it is in the database: ${id}`];
  if ((await corpus.recordRow(id)) !== row)
    return ["key_table_differs", `The key table does not find ${id} in row ${row}`];
  const filters = { platform, domain: src, lang, capturedMs: found.prov_ts_ms };
  if (!isDeepStrictEqual(corpus.filterValues(row), filters))
    return ["filter_columns_differ", `Filters hold row ${row}, ${id}, to be something else`];
  const { prov: _, ...bare } = record;
  if (found.price_current === null && found.price_drop_7d !== null)
    return ["price_change_differs", `Row ${row}, ${id}, has a price change without a price`];
  const isGiven = found.price_drop_7d === found.price_drop_given;
  if (prov.hash !== (isGiven ? (found.prov_hash_given ?? found.prov_hash) : recordHash(bare)))
    return ["hash_differs", `The hash of row ${row}, ${id}, is not that of what it shows`];
  return undefined;
}

/** Compares every raw item of a generation's database with its row store and key table. Returns the number of rows. */
export async function verifyRawRows(
  corpus: GenerationCorpus,
  db: Database,
  wrong: Wrong,
  { onRows, signal }: { readonly onRows?: (rows: number) => void; readonly signal?: AbortSignal },
): Promise<number> {
  const turn = new EventLoopTurn(LAKE_DEFAULTS.turnMs);
  let [rows, differing] = [0, 0];
  const sql = `SELECT "row", ${columnNames(RAW_COLUMNS)}, words IN (${RAW_WORDS}, ${RAW_WORDS_BEFORE}) AS worded FROM raw`;
  for await (const batch of db.stream(sql, [], signal)) {
    for (const found of batch) {
      if (turn.isOver()) await turn.next();
      rows++;
      const item = rawOfRow(found);
      const { platform, resource, id } = item;
      const stored = await corpus.raw(platform, resource, id);
      if (sameItem(stored, item) && found.worded === true) continue;
      differing++;
      const code = found.worded === true ? "row_store_differs" : "raw_words_differ";
      wrong(
        code,
        `Raw row ${found.row} is not everywhere the same: ${platform}/${resource}/${id}`,
        found.row,
      );
    }
    onRows?.(rows);
    if (differing >= LAKE_DEFAULTS.verifyProblems) return corpus.manifest.liveRaw;
  }
  return rows;
}
