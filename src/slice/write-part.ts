import { chmod, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { HashPolicy, SourceInfo } from "../contract/slice/slice-item.js";
import { MANIFEST_FILE, type SliceManifest } from "../contract/slice/slice-manifest.js";
import { BUILD_DEFAULTS } from "../duckdb/defaults.js";
import { hashFile, syncFile, syncTree, writeFileSynced } from "../files/durable-files.js";
import { writeVectors } from "./arrow-vectors.js";
import { columnNames, quoteName, quoteText } from "./column.js";
import type { Part } from "./partition.js";
import { RAW_COLUMNS } from "./raw-columns.js";
import { manifestText, SLICE_FILES, type SliceFile, sliceManifest } from "./read-slice-manifest.js";
import { RECORD_COLUMNS } from "./record-columns.js";
import type { Staging } from "./staging.js";

/** Source data of a slice's manifest. */
export interface PartSource {
  readonly info: SourceInfo;
  readonly hashes: HashPolicy;
  readonly revises: readonly SliceManifest[];
}

/**
 * Writes a part's rows from the sorted tables as a slice into a new folder `dir`. Files are written only if they have rows, are
 * read-only and synced; the manifest comes last.
 * @throws DatabaseError; the system's error if `dir` exists or cannot be written; the signal's reason when aborted
 */
export async function writePart(
  staging: Staging,
  part: Part,
  dir: string,
  { info, hashes, revises }: PartSource,
  signal: AbortSignal | undefined,
): Promise<SliceManifest> {
  await mkdir(dir);
  const files: SliceFile[] = [];
  const finish = async (name: SliceFile["name"], rows: number) => {
    const path = join(dir, SLICE_FILES[name].path);
    await syncFile(path);
    await chmod(path, 0o444);
    files.push({ name, rows, ...(await hashFile(path, { signal })) });
  };
  if (part.records > 0) {
    const filled = new Set(staging.filledColumns);
    const columns = RECORD_COLUMNS.map((column) => {
      const name = quoteName(column.name);
      return filled.has(column) ? name : `NULL::${column.type} AS ${name}`;
    });
    await copy(
      staging,
      `SELECT ${columns.join(", ")}, vector_row FROM sorted_records WHERE part = ?`,
      part,
      dir,
      "records",
    );
    await finish("records", part.records);
  }
  if (part.raw > 0) {
    const columns = columnNames(RAW_COLUMNS);
    await copy(staging, `SELECT ${columns} FROM sorted_raw WHERE part = ?`, part, dir, "raw");
    await finish("raw", part.raw);
  }
  if (part.vectors > 0) {
    const file = await open(join(dir, SLICE_FILES.vectors.path), "wx");
    try {
      await writeVectors(file, vectorsOf(staging, part, signal), {
        model: info.vectorModel,
        signal,
      });
    } finally {
      await file.close();
    }
    await finish("vectors", part.vectors);
  }
  const resources = await staging.db.rows<{ resource: string; count: number }>(
    "SELECT resource, count(*) AS count FROM sorted_raw WHERE part = ? GROUP BY resource ORDER BY resource",
    [part.part],
  );
  const manifest = sliceManifest({
    info,
    hashes: part.records > 0 ? hashes : "check",
    platform: staging.platform(part.platform),
    lang: part.lang,
    month: part.month,
    firstMs: part.first_ms,
    lastMs: part.last_ms,
    files,
    resources: Object.fromEntries(resources.map(({ resource, count }) => [resource, count])),
    revises,
  });
  await writeFileSynced(join(dir, MANIFEST_FILE), manifestText(manifest));
  await chmod(join(dir, MANIFEST_FILE), 0o444);
  await syncTree(dir);
  return manifest;
}

async function copy(
  { db }: Staging,
  select: string,
  { part }: Part,
  dir: string,
  name: SliceFile["name"],
): Promise<void> {
  const path = quoteText(join(dir, SLICE_FILES[name].path));
  const format = `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${BUILD_DEFAULTS.rowGroupRows}`;
  await db.run(`COPY (${select}) TO ${path} (${format})`, [part]);
}

async function* vectorsOf(staging: Staging, { part }: Part, signal: AbortSignal | undefined) {
  const sql =
    "SELECT id, source_row FROM sorted_records WHERE part = ? AND vector_row IS NOT NULL ORDER BY vector_row";
  for await (const batch of staging.db.stream<{ id: string; source_row: number }>(sql, [part], signal)) {
    for (const { id, source_row } of batch) yield { id, values: staging.vector(source_row) };
  }
}
