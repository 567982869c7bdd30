import { join } from "node:path";
import { z } from "zod";
import type { Removal } from "../../contract/lake/removal.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import { Sha256 } from "../../contract/slice/slice-manifest.js";
import { Database } from "../../duckdb/database.js";
import { BUILD_DEFAULTS } from "../../duckdb/defaults.js";
import { quoteText } from "../../slice/column.js";
import { GENERATION_FILES } from "../generation-manifest.js";
import type { SourceSlice } from "../load-tables.js";
import { filesOf } from "./derive-removals.js";
import { type Quoting, quotingRaw, quotingRecords } from "./quoting.js";
import { type Redacted, redactRecord } from "./redact.js";
import { createRemovalTables } from "./removal-tables.js";

const rows = z.array(z.number());
const samples = z.array(z.string()).nullable();
const Redaction = z.strictObject({
  row: z.number(),
  /** Samples that stay, null where none does; absent where nothing was taken out. */
  comment_thread: samples.optional(),
  review_sample: samples.optional(),
});

/** Rows of a generation that are not to be shown, and those that are shown with less. */
export const RemovedRows = z.strictObject({
  records: rows,
  raw: rows,
  redactedRecords: z.array(Redaction.extend({ hash: z.string() })),
  redactedRaw: z.array(Redaction),
  /** How many items each slice holds that must not be handed out; slices that hold none are not listed. */
  slices: z.record(Sha256, z.strictObject({ records: z.number(), raw: z.number() })),
});
export type RemovedRows = Readonly<z.infer<typeof RemovedRows>>;

/** Nothing removed. */
export const NOTHING_REMOVED: RemovedRows = {
  records: [],
  raw: [],
  redactedRecords: [],
  redactedRaw: [],
  slices: {},
};

/** The samples of a {@link RemovedRows} redaction as {@link Redacted}. */
export function redactedOf(redaction: {
  readonly comment_thread?: readonly string[] | null | undefined;
  readonly review_sample?: readonly string[] | null | undefined;
}): Redacted {
  return {
    ...(redaction.comment_thread === undefined
      ? {}
      : { comment_thread: redaction.comment_thread ?? undefined }),
    ...(redaction.review_sample === undefined ? {} : { review_sample: redaction.review_sample ?? undefined }),
  };
}

/**
 * Finds by key what a generation shows of removals, and what its slices hold of them.
 * @param generation folder of the generation
 * @param slices the slices that it is built from
 */
export async function findRemovedRows(
  generation: string,
  slices: readonly SourceSlice[],
  removals: readonly Removal[],
  { tempDirectory, signal }: { readonly tempDirectory: string; readonly signal?: AbortSignal },
): Promise<RemovedRows> {
  const db = await Database.open(":memory:", {
    memoryLimit: BUILD_DEFAULTS.memoryLimit,
    threads: BUILD_DEFAULTS.threads,
    tempDirectory,
  });
  try {
    await createRemovalTables(db, removals, slices);
    await db.run(`ATTACH ${quoteText(join(generation, GENERATION_FILES.database))} AS corpus (READ_ONLY)`);
    const rowsOf = async (sql: string) => {
      const found: number[] = [];
      for await (const batch of db.stream<{ row: number }>(sql, [], signal))
        for (const { row } of batch) found.push(row);
      return found;
    };
    return {
      records: await rowsOf(
        `SELECT "row" FROM corpus.records SEMI JOIN removed_records USING (id) ORDER BY "row"`,
      ),
      raw: await rowsOf(
        `SELECT "row" FROM corpus.raw SEMI JOIN removed_raw USING (platform, resource, id) ORDER BY "row"`,
      ),
      redactedRecords: (await quotingRecords(db, "corpus.records", removals, signal)).map(redactionOfRecord),
      redactedRaw: (await quotingRaw(db, "corpus.raw", removals, signal)).map(({ row, redacted }) =>
        redactionOf(row as number, redacted),
      ),
      slices: await countInSlices(db, slices, removals, signal),
    };
  } finally {
    await db.close();
  }
}

async function countInSlices(
  db: Database,
  slices: readonly SourceSlice[],
  removals: readonly Removal[],
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
    for (const { row } of await quoting(db, table, removals, signal)) count(row as string, kind, 1);
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function redactionOfRecord({ row, redacted, item }: Quoting<StoredRecord>) {
  return { ...redactionOf(row as number, redacted), hash: redactRecord(item, redacted).prov.hash };
}

function redactionOf(row: number, redacted: Redacted): z.infer<typeof Redaction> {
  return {
    row,
    ...("comment_thread" in redacted ? { comment_thread: copyOf(redacted.comment_thread) } : {}),
    ...("review_sample" in redacted ? { review_sample: copyOf(redacted.review_sample) } : {}),
  };
}

function copyOf(texts: readonly string[] | undefined): string[] | null {
  return texts === undefined ? null : [...texts];
}
