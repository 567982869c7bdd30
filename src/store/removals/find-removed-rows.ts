import { join } from "node:path";
import type { Removal } from "../../contract/lake/removal.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import { Database } from "../../duckdb/database.js";
import { BUILD_DEFAULTS } from "../../duckdb/defaults.js";
import { quoteText } from "../../duckdb/quote-sql.js";
import { engineThreads } from "../../slice/engine-threads.js";
import { GENERATION_FILES } from "../generation/generation-manifest.js";
import { findPriceChanges, type PriceChange, withPriceChange } from "../generation/price-changes.js";
import { filesOf, type KnownSlice, lostRoots, rowsOfSlices } from "./known-slice.js";
import { type Quoting, quotingRaw, quotingRecords } from "./quoting.js";
import { type Redacted, redactRecord } from "./redact.js";
import { createRemovalTables } from "./removal-tables.js";
import type { Redaction, RemovedRows } from "./removed-rows.js";

/** Steps in which the rows of a generation are found. */
const STEPS = 7;

/**
 * Finds the rows of a generation affected by removals, and the affected items of its slices.
 * @param generation folder of the generation
 * @param slices the slices that it is built from
 * @param onStep called before the first step and after each, with how many are done of how many
 */
export async function findRemovedRows(
  generation: string,
  slices: readonly KnownSlice[],
  removals: readonly Removal[],
  {
    tempDirectory,
    signal,
    onStep,
  }: {
    readonly tempDirectory: string;
    readonly signal?: AbortSignal | undefined;
    readonly onStep?: ((done: number, total: number) => void) | undefined;
  },
): Promise<RemovedRows> {
  let done = 0;
  onStep?.(done, STEPS);
  const step = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    onStep?.(++done, STEPS);
    return result;
  };
  const db = await Database.openKept(":memory:", {
    memoryLimit: BUILD_DEFAULTS.memoryLimit,
    threads: engineThreads(slices.map(({ manifest }) => manifest)),
    tempDirectory,
  });
  try {
    await step(createRemovalTables(db, removals, slices));
    await db.attach(join(generation, GENERATION_FILES.database), "corpus");
    const rowsOf = async (sql: string) => {
      const found: number[] = [];
      for await (const batch of db.stream<{ row: number }>(sql, [], signal))
        for (const { row } of batch) found.push(row);
      return found;
    };
    const priceChanges = await step(
      findPriceChanges(db, {
        schema: "corpus.",
        without: "ANTI JOIN removed_raw USING (platform, resource, id)",
        touched: {
          sql: `SELECT platform, parent FROM corpus.raw SEMI JOIN removed_raw USING (platform, resource, id) WHERE resource = 'price'`,
        },
        signal,
      }),
    );
    const changed = new Map(priceChanges.map((change) => [change.row, change]));
    return {
      records: await step(
        rowsOf(`SELECT "row" FROM corpus.records SEMI JOIN removed_records USING (id) ORDER BY "row"`),
      ),
      raw: await step(
        rowsOf(
          `SELECT "row" FROM corpus.raw SEMI JOIN removed_raw USING (platform, resource, id) ORDER BY "row"`,
        ),
      ),
      redactedRecords: (await step(quotingRecords(db, "corpus.records", signal))).map((quoting) =>
        redactionOfRecord(quoting, changed.get(quoting.row as number)),
      ),
      redactedRaw: (await step(quotingRaw(db, "corpus.raw", signal))).map(({ row, redacted }) =>
        redactionOf(row as number, redacted),
      ),
      priceChanges,
      slices: await step(countInSlices(db, slices, removals.length > 0, signal)),
    };
  } finally {
    await db.close();
  }
}

async function countInSlices(
  db: Database,
  slices: readonly KnownSlice[],
  hasRemovals: boolean,
  signal: AbortSignal | undefined,
): Promise<RemovedRows["slices"]> {
  const counts = new Map<string, { records: number; raw: number }>();
  const count = (path: string, kind: "records" | "raw", n: number) => {
    const root = slices.find(({ dir }) => path.startsWith(`${dir}/`) || path.startsWith(`${dir}\\`))!.manifest
      .mirrorlake.root;
    const known = counts.get(root) ?? { records: 0, raw: 0 };
    known[kind] += n;
    counts.set(root, known);
  };
  for (const [kind, key] of [
    ["records", "id"],
    ["raw", "platform, resource, id"],
  ] as const) {
    const files = filesOf(slices, kind);
    if (files.length === 0) continue;
    for await (const batch of db.stream<{ filename: string; n: number }>(
      `SELECT filename, count(*) AS n FROM read_parquet(?, filename = true) SEMI JOIN removed_${kind} USING (${key})
        GROUP BY filename`,
      [files],
      signal,
    )) {
      for (const { filename, n } of batch) count(filename, kind, n);
    }
    const quoting = kind === "records" ? quotingRecords : quotingRaw;
    const table = `(SELECT filename AS "row", * FROM read_parquet([${files.map(quoteText).join(", ")}], filename = true))`;
    for (const { row } of await quoting(db, table, signal)) count(row as string, kind, 1);
  }
  // What a lost slice holds besides is not known: it is withheld, in case it comes back.
  for (const root of hasRemovals ? lostRoots(slices) : []) {
    const [found] = await db.rows<{ records: number; raw: number }>(
      `SELECT (SELECT count(*) FROM ${rowsOfSlices("records", [root])} SEMI JOIN removed_records USING (id)) AS records,
        (SELECT count(*) FROM ${rowsOfSlices("raw", [root])} SEMI JOIN removed_raw USING (platform, resource, id)) AS raw`,
    );
    counts.set(root, found!);
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function redactionOfRecord(
  { row, redacted, item: stored }: Quoting<StoredRecord>,
  change: PriceChange | undefined,
) {
  const item = change === undefined ? stored : withPriceChange(stored, change);
  return { ...redactionOf(row as number, redacted), hash: redactRecord(item, redacted).prov.hash };
}

function redactionOf(row: number, redacted: Redacted): Redaction {
  return {
    row,
    ...("comment_thread" in redacted ? { comment_thread: copyOf(redacted.comment_thread) } : {}),
    ...("review_sample" in redacted ? { review_sample: copyOf(redacted.review_sample) } : {}),
  };
}

function copyOf(texts: readonly string[] | undefined): string[] | null {
  return texts === undefined ? null : [...texts];
}
