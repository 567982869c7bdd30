import { chmod, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { Removal } from "../../contract/lake/removal.js";
import { MANIFEST_FILE, type SliceFacts, type SliceManifest } from "../../contract/slice/slice-manifest.js";
import { Database } from "../../duckdb/database.js";
import { BUILD_DEFAULTS } from "../../duckdb/defaults.js";
import { quoteText } from "../../duckdb/quote-sql.js";
import { hashFile, syncFile, syncTree, writeFileSynced } from "../../files/durable-files.js";
import { VectorFile, writeVectors } from "../../slice/arrow-vectors.js";
import { columnNames } from "../../slice/column.js";
import { RAW_COLUMNS } from "../../slice/raw-columns.js";
import {
  manifestRoot,
  manifestText,
  revisionOf,
  SLICE_FILES,
  type SliceFile,
  sliceResource,
} from "../../slice/read-slice-manifest.js";
import { RECORD_COLUMNS } from "../../slice/record-columns.js";
import { publishedRoot } from "../../slice/superseded-roots.js";
import { redactedItems } from "../removals/redacted-items.js";
import { createRemovalTables } from "../removals/removal-tables.js";
import type { SourceSlice } from "./load-tables.js";

/** Options of {@link reviseSlice}. */
export interface ReviseOptions {
  /** Folder for data that does not fit into memory. */
  readonly tempDirectory: string;
  /** Drop items captured before this instant, epoch ms. The revision then says that it was cut by age. */
  readonly fromMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Writes the revision of a slice without removed items to an absent folder. Other records, raw items and vectors are unchanged;
 * samples lose their quotes of removed items. The revision supersedes the slice and all that it superseded, and names the slice as it was
 * published, so that a later edition of that takes its place.
 * @returns the manifest of the revision; undefined, without a folder, if nothing is left
 */
export async function reviseSlice(
  slice: SourceSlice,
  dir: string,
  removals: readonly Removal[],
  { signal, tempDirectory, fromMs }: ReviseOptions,
): Promise<SliceManifest | undefined> {
  const db = await Database.openKept(":memory:", {
    memoryLimit: BUILD_DEFAULTS.memoryLimit,
    threads: 1, // with one writer, the bytes of a Parquet file depend on its rows alone
    tempDirectory,
  });
  const oldestMs = fromMs ?? Number.MIN_SAFE_INTEGER;
  try {
    await createRemovalTables(db, removals, [slice]);
    const has = (name: SliceFile["name"]) => slice.manifest.resources.some((r) => r.name === name);
    await db.run(
      `CREATE VIEW records AS ${has("records") ? `${await recordsQuery(db, slice)} WHERE prov_ts_ms >= ${oldestMs}` : "SELECT NULL AS id WHERE false"}`,
    );
    await db.run(
      `CREATE VIEW raw AS ${has("raw") ? `${await rawQuery(db, slice)} WHERE captured_ms >= ${oldestMs}` : "SELECT NULL AS resource WHERE false"}`,
    );
    const rows = {
      records: await countOf(db, "records"),
      raw: await countOf(db, "raw"),
      vectors: has("vectors") ? await countOf(db, "records WHERE vector_row IS NOT NULL") : 0,
    };
    if (rows.records + rows.raw === 0) return undefined;
    await mkdir(dir);
    const files: SliceFile[] = [];
    const finish = async (name: SliceFile["name"]) => {
      const path = join(dir, SLICE_FILES[name].path);
      await syncFile(path);
      await chmod(path, 0o444);
      files.push({
        name,
        rows: rows[name],
        ...(await hashFile(path, { signal })),
      });
    };
    const format = `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${BUILD_DEFAULTS.rowGroupRows}`;
    const copy = async (name: "records" | "raw", select: string) => {
      if (rows[name] === 0) return;
      const path = quoteText(join(dir, SLICE_FILES[name].path));
      await db.run(`COPY (${select}) TO ${path} (${format})`, [], signal);
      await finish(name);
    };
    await copy(
      "records",
      `SELECT * REPLACE ((CASE WHEN vector_row IS NOT NULL
        THEN count(vector_row) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - 1 END)::INTEGER AS vector_row)
      FROM records ORDER BY id`,
    );
    await copy("raw", "FROM raw ORDER BY resource, id");
    if (rows.vectors > 0) {
      await writeVectorsOf(db, slice, join(dir, SLICE_FILES.vectors.path), signal);
      await finish("vectors");
    }
    const before = slice.manifest.mirrorlake;
    const byAgeAlone = fromMs !== undefined && removals.length === 0;
    const cutFrom = {
      root: publishedRoot(before),
      byAge: fromMs !== undefined || before.cutFrom?.byAge === true,
      byAgeFrom: byAgeAlone ? [before.root, ...(before.cutFrom?.byAgeFrom ?? [])] : undefined,
    };
    const manifest = await revisedManifest(db, slice.manifest, { files, rows, cutFrom });
    await writeFileSynced(join(dir, MANIFEST_FILE), manifestText(manifest));
    await chmod(join(dir, MANIFEST_FILE), 0o444);
    await syncTree(dir);
    return manifest;
  } finally {
    await db.close();
  }
}

async function recordsQuery(db: Database, { dir }: SourceSlice): Promise<string> {
  const path = join(dir, SLICE_FILES.records.path);
  const items = await redactedItems(db, "records", [path]);
  return `SELECT ${columnNames(RECORD_COLUMNS)}, vector_row FROM (${items}) ANTI JOIN removed_records USING (id)`;
}

async function rawQuery(db: Database, { dir }: SourceSlice): Promise<string> {
  const path = join(dir, SLICE_FILES.raw.path);
  const items = await redactedItems(db, "raw", [path]);
  return `SELECT ${columnNames(RAW_COLUMNS)} FROM (${items}) ANTI JOIN removed_raw USING (platform, resource, id)`;
}

async function countOf(db: Database, from: string): Promise<number> {
  const [row] = await db.rows<{ n: number }>(`SELECT count(*) AS n FROM ${from}`);
  return row!.n;
}

async function writeVectorsOf(
  db: Database,
  { dir, manifest }: SourceSlice,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const source = await VectorFile.open(join(dir, SLICE_FILES.vectors.path));
  async function* vectors() {
    const positions = db.stream<{ id: string; vector_row: number }>(
      "SELECT id, vector_row FROM records WHERE vector_row IS NOT NULL ORDER BY id",
      [],
      signal,
    );
    for await (const batch of positions) {
      for (const { id, vector_row } of batch) {
        const { values } = await source.read(vector_row);
        yield { id, values: values.slice() };
      }
    }
  }
  const file = await open(path, "wx");
  try {
    const model = manifest.mirrorlake.embedding?.model;
    await writeVectors(file, vectors(), {
      model,
      signal,
    });
  } finally {
    await file.close();
    await source.close();
  }
}

/** What a revision has of its own. */
interface RevisedParts extends Required<Pick<SliceFacts, "cutFrom">> {
  readonly files: readonly SliceFile[];
  readonly rows: { readonly records: number; readonly raw: number; readonly vectors: number };
}

async function revisedManifest(
  db: Database,
  old: SliceManifest,
  { files, rows, cutFrom }: RevisedParts,
): Promise<SliceManifest> {
  const times = [
    ...(rows.records > 0 ? ["SELECT prov_ts_ms AS ms FROM records"] : []),
    ...(rows.raw > 0 ? ["SELECT captured_ms AS ms FROM raw"] : []),
  ];
  const [captured] = await db.rows<{ first: number; last: number }>(
    `SELECT min(ms) AS first, max(ms) AS last FROM (${times.join(" UNION ALL ")})`,
  );
  const resources = await db.rows<{ resource: string; count: number }>(
    "SELECT resource, count(*) AS count FROM raw GROUP BY resource ORDER BY resource",
  );
  const { root: _, ...facts } = old.mirrorlake;
  const revised: Omit<SliceFacts, "root"> = {
    ...facts,
    counts: {
      ...rows,
      resources: Object.fromEntries(resources.map(({ resource, count }) => [resource, count])),
    },
    captured: {
      first: new Date(captured!.first).toISOString(),
      last: new Date(captured!.last).toISOString(),
    },
    embedding: rows.vectors > 0 ? facts.embedding : null,
    ...revisionOf([old]),
    cutFrom,
  };
  const manifest = { ...old, resources: files.map(sliceResource), mirrorlake: revised };
  return { ...manifest, mirrorlake: { ...revised, root: manifestRoot(manifest) } };
}
