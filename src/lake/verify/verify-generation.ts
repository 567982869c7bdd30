import { join } from "node:path";
import { RowSet } from "../../contract/lake/row-set.js";
import { Database } from "../../duckdb/database.js";
import { BUILD_DEFAULTS } from "../../duckdb/defaults.js";
import type { SearchIndex } from "../../search/search-index.js";
import { quoteText } from "../../slice/column.js";
import { GENERATION_FILES } from "../../store/generation-manifest.js";
import type { SourceSlice } from "../../store/load-tables.js";
import { openGeneration } from "../../store/open-generation.js";
import { filesOf } from "../../store/removals/derive-removals.js";
import type { RemovalList } from "../../store/removals/removal-list.js";
import { createRemovalTables } from "../../store/removals/removal-tables.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import type { Problem } from "./problem.js";

/** Input of {@link verifyGeneration}. */
export interface GenerationCheck {
  readonly dir: string;
  /** The generation's slices; absent if they cannot be read. */
  readonly slices: readonly SourceSlice[] | undefined;
  readonly removals: RemovalList;
  readonly index: SearchIndex;
  readonly remedy: string;
  readonly onRows?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Compares a generation with its slices: visible keys, the row stores and key tables of each record and raw
 * item, the index's count, and the postings of sampled records. Returns the problems found.
 */
export async function verifyGeneration(check: GenerationCheck): Promise<Problem[]> {
  const { dir, signal, remedy } = check;
  const problems: Problem[] = [];
  const wrong = (code: string, message: string, value?: unknown) =>
    problems.push({ code, message, value, remedy });
  const corpus = await openGeneration(dir, { threads: BUILD_DEFAULTS.threads });
  try {
    if (check.slices !== undefined) await verifyKeys(check, check.slices, wrong);
    let rows = 0;
    const db = await Database.open(corpus.database, { readOnly: true, threads: BUILD_DEFAULTS.threads });
    try {
      const sample: number[] = [];
      const step = Math.max(1, Math.floor(corpus.recordCount / LAKE_DEFAULTS.verifySample));
      for await (const batch of db.stream<{ row: number; id: string; prov_hash: string }>(
        'SELECT "row", id, prov_hash FROM records ORDER BY "row"',
        [],
        signal,
      )) {
        const stored = await corpus.records(batch.map(({ row }) => row));
        for (const [i, { row, id, prov_hash }] of batch.entries()) {
          const record = stored[i]!;
          if (record.id !== id || record.prov.hash !== prov_hash)
            wrong(
              "row_store_differs",
              `Row ${row} is ${record.id} in the row store, ${id} in the database`,
              row,
            );
          else if ((await corpus.recordRow(id)) !== row)
            wrong("key_table_differs", `The key table does not find ${id} in row ${row}`, id);
          if (rows++ % step === 0) sample.push(row);
        }
        check.onRows?.(rows, corpus.recordCount);
        if (problems.length >= LAKE_DEFAULTS.verifyProblems) break;
        await new Promise(setImmediate);
      }
      if (rows !== corpus.recordCount && problems.length === 0)
        wrong("record_count_differs", `The database has ${rows} records, ${corpus.recordCount} can be found`);
      const [raw] = await db.rows<{ n: number }>("SELECT count(*) AS n FROM raw");
      if (raw!.n !== corpus.manifest.liveRaw)
        wrong(
          "raw_count_differs",
          `The database has ${raw!.n} raw items, ${corpus.manifest.liveRaw} can be found`,
        );
      if (check.index.documentCount !== corpus.rowCount)
        wrong(
          "index_count_differs",
          `The search index has ${check.index.documentCount} documents, there are ${corpus.rowCount} rows`,
        );
      else problems.push(...(await verifyPostings(check, corpus, sample)));
    } finally {
      await db.close();
    }
    return problems.slice(0, LAKE_DEFAULTS.verifyProblems);
  } finally {
    await corpus.close();
  }
}

/** Compares visible keys of the slices with the database. */
async function verifyKeys(
  { dir, removals, signal }: GenerationCheck,
  slices: readonly SourceSlice[],
  wrong: (code: string, message: string, value?: unknown) => void,
): Promise<void> {
  const db = await Database.open(":memory:", {
    memoryLimit: BUILD_DEFAULTS.memoryLimit,
    threads: BUILD_DEFAULTS.threads,
  });
  try {
    await createRemovalTables(db, removals.removals(), slices);
    await db.run(`ATTACH ${quoteText(join(dir, GENERATION_FILES.database))} AS corpus (READ_ONLY)`);
    for (const [kind, key, ms] of [
      ["records", "id", "prov_ts_ms"],
      ["raw", "platform, resource, id", "captured_ms"],
    ] as const) {
      const files = filesOf(slices, kind);
      const expected =
        files.length === 0
          ? `SELECT ${key}, ${ms} AS ms FROM corpus.${kind} WHERE false`
          : `SELECT ${key}, max(${ms}) AS ms FROM read_parquet([${files.map(quoteText).join(", ")}])
              ANTI JOIN removed_${kind} USING (${key}) GROUP BY ALL`;
      const shown = `SELECT ${key}, ${ms} AS ms FROM corpus.${kind} ANTI JOIN removed_${kind} USING (${key})`;
      for (const [code, from, less, say] of [
        ["missing", expected, shown, "is in the slices, but not shown"],
        ["foreign", shown, expected, "is shown, but not in the slices"],
      ] as const) {
        const sql = `(${from}) EXCEPT (${less}) ORDER BY ALL LIMIT ${LAKE_DEFAULTS.verifyProblems}`;
        for await (const batch of db.stream(sql, [], signal)) {
          for (const { ms: _, ...found } of batch) {
            const id = Object.values(found).join("/");
            wrong(`${kind === "records" ? "record" : "raw"}_${code}`, `${id} ${say}`, id);
          }
        }
      }
    }
  } finally {
    await db.close();
  }
}

/** Whether each of some words of a record finds that record. */
async function verifyPostings(
  { index, remedy }: GenerationCheck,
  corpus: Awaited<ReturnType<typeof openGeneration>>,
  sample: readonly number[],
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const [i, record] of (await corpus.records(sample)).entries()) {
    const words = (record.title ?? record.text ?? "").match(/[\p{L}\p{N}]{3,}/gu)?.slice(0, 8) ?? [];
    if (words.length === 0) continue;
    const row = sample[i]!;
    const ranking = await index.rank(words.join(" "), RowSet.of(corpus.rowCount, [row]), {
      limit: 1,
      mode: "keyword",
    });
    if (ranking.rows[0] === row) continue;
    problems.push({
      code: "postings_differ",
      message: `The words of ${record.id} do not find it`,
      value: record.id,
      remedy,
    });
  }
  return problems;
}
