import { RowSet } from "../../contract/lake/row-set.js";
import { Database } from "../../duckdb/database.js";
import { BUILD_DEFAULTS } from "../../duckdb/defaults.js";
import type { SearchIndex } from "../../search/search-index.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { openGeneration } from "../../store/generation/open-generation.js";
import type { RemovalList } from "../../store/removals/removal-list.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import type { Problem } from "./problem.js";
import { verifyAgainstSlices } from "./verify-against-slices.js";
import { verifyRawRows, verifyRecordRows } from "./verify-rows.js";
import { verifyVectors } from "./verify-vectors.js";

/** Input of {@link verifyGeneration}. */
export interface GenerationCheck {
  readonly dir: string;
  /** The generation's slices; absent if they cannot be read. */
  readonly slices: readonly SourceSlice[] | undefined;
  readonly removals: RemovalList;
  /** Opens its index, which takes as much memory as the engine that compares rows: once that is done. */
  readonly openIndex: () => Promise<SearchIndex>;
  readonly remedy: string;
  /** Folder for what engines cannot hold in memory. */
  readonly tempDirectory: string;
  readonly onRows?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Compares a generation with its slices: every field and downloaded vector of every visible row; and with itself: the row stores, key
 * tables and filter columns of each record and raw item, the groups of raw items, what is derived, the index's count, and the postings
 * of sampled records. Adds the problems found, those too that were found before an error.
 */
export async function verifyGeneration(check: GenerationCheck, found: Problem[]): Promise<void> {
  const { dir, tempDirectory, signal, remedy } = check;
  const problems: Problem[] = [];
  const wrong = (code: string, message: string, value?: unknown) =>
    problems.push({ code, message, value, remedy });
  const corpus = await openGeneration(dir, { threads: BUILD_DEFAULTS.threads });
  try {
    const { recordCount, groupEntries, manifest } = corpus;
    const counts = { records: recordCount, raw: manifest.liveRaw };
    const stored = recordCount + manifest.liveRaw;
    const ofSlices = check.slices === undefined ? 0 : stored + vectorsOf(check.slices);
    const total = ofSlices + stored + groupEntries;
    let before = 0;
    const onRows = (rows: number) => check.onRows?.(Math.min(total, before + rows), total);
    onRows(0);
    if (check.slices !== undefined) {
      const onCompared = (table: "records" | "raw") => {
        before += counts[table];
        onRows(0);
      };
      const { removals } = check;
      const comparing = { removals, tempDirectory, signal, onCompared };
      await verifyAgainstSlices(dir, check.slices, comparing, wrong);
    }
    const db = await Database.openKept(corpus.database, {
      readOnly: true,
      threads: BUILD_DEFAULTS.threads,
      memoryLimit: BUILD_DEFAULTS.memoryLimit,
      tempDirectory,
    });
    try {
      const { rows, sample } = await verifyRecordRows(corpus, db, wrong, { onRows, signal });
      if (rows !== corpus.recordCount)
        wrong("record_count_differs", `The database has ${rows} records, ${corpus.recordCount} can be found`);
      before += recordCount;
      const raw = await verifyRawRows(corpus, db, wrong, { onRows, signal });
      before += manifest.liveRaw;
      if (raw !== corpus.manifest.liveRaw)
        wrong(
          "raw_count_differs",
          `The database has ${raw} raw items, ${corpus.manifest.liveRaw} can be found`,
        );
      let differing = 0;
      for await (const group of corpus.groupFaults(db, { onEntries: onRows, signal })) {
        wrong("group_differs", `A group of raw items does not have what belongs to it: ${group}`, group);
        if (++differing >= LAKE_DEFAULTS.verifyProblems) break;
      }
      before += groupEntries;
      onRows(0);
      const index = await check.openIndex();
      try {
        if (index.documentCount !== corpus.rowCount)
          wrong(
            "index_count_differs",
            `The search index has ${index.documentCount} documents, there are ${corpus.rowCount} rows`,
          );
        else {
          const onVectors = (rows: number) => {
            before += rows;
            onRows(0);
          };
          if (check.slices !== undefined)
            await verifyVectors(index, db, check.slices, wrong, { onRows: onVectors, signal });
          problems.push(...(await verifyPostings(index, remedy, corpus, sample)));
        }
      } finally {
        await index.close();
      }
    } finally {
      await db.close();
    }
  } finally {
    found.push(...problems.slice(0, LAKE_DEFAULTS.verifyProblems));
    await corpus.close();
  }
}

/** Vectors of all slices, also of records that another edition replaced. */
function vectorsOf(slices: readonly SourceSlice[]): number {
  return slices.reduce((sum, { manifest }) => sum + manifest.mirrorlake.counts.vectors, 0);
}

/** A word of three letters and more, with the marks that many scripts write vowels by. */
const WORD = /[\p{L}\p{M}\p{N}]{3,}/gu;

/** Whether some words of a record find that record. */
async function verifyPostings(
  index: SearchIndex,
  remedy: string,
  corpus: Awaited<ReturnType<typeof openGeneration>>,
  sample: readonly number[],
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const [i, record] of (await corpus.records(sample)).entries()) {
    const words = (record.title ?? record.text ?? "").match(WORD)?.slice(0, 8) ?? [];
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
