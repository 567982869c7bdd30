import { chmod, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { HashPolicy, SourceInfo } from "../contract/slice/slice-item.js";
import { MANIFEST_FILE, type SliceManifest } from "../contract/slice/slice-manifest.js";
import { hashFile, replaceFileSynced, syncFile, syncTree } from "../files/durable-files.js";
import { writeVectors } from "../slice/arrow-vectors.js";
import { RAW_COLUMNS } from "../slice/raw-columns.js";
import { manifestText, SLICE_FILES, type SliceFile, sliceManifest } from "../slice/read-slice-manifest.js";
import { RECORD_COLUMNS, VECTOR_ROW } from "../slice/record-columns.js";
import { copyRows, type RowFacts, rowFacts } from "./copy-rows.js";
import type { Part } from "./partition.js";
import type { Staging } from "./staging.js";

/** Source data of a slice's manifest. */
export interface PartSource {
  readonly info: SourceInfo;
  readonly hashes: HashPolicy;
  readonly revises: readonly SliceManifest[];
  /** How many raw items it has of each resource, by resource. */
  readonly resources: Readonly<Record<string, number>>;
  readonly facts: PartFacts;
}

/** What is known of the rows of all parts, by the part's number. */
export interface PartFacts {
  readonly records: ReadonlyMap<number, RowFacts>;
  readonly raw: ReadonlyMap<number, RowFacts>;
}

/** Asks once for what {@link writePart} needs to know of each part's rows. @throws DatabaseError */
export async function partFacts(staging: Staging): Promise<PartFacts> {
  return {
    records: await rowFacts(staging, "sorted_records"),
    raw: await rowFacts(staging, "sorted_raw"),
  };
}

/** How many raw items there are of each resource, by part and resource. @throws DatabaseError */
export async function countResources({ db }: Staging): Promise<Map<number, Record<string, number>>> {
  const counts = new Map<number, Record<string, number>>();
  const rows = await db.rows<{ part: number; resource: string; count: number }>(
    "SELECT part, resource, count(*) AS count FROM sorted_raw GROUP BY part, resource ORDER BY part, resource",
  );
  for (const { part, resource, count } of rows)
    counts.set(part, Object.assign(counts.get(part) ?? {}, { [resource]: count }));
  return counts;
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
  { info, hashes, revises, resources, facts }: PartSource,
  signal: AbortSignal | undefined,
): Promise<SliceManifest> {
  await mkdir(dir);
  const files: SliceFile[] = [];
  const pathOf = (name: SliceFile["name"]) => join(dir, SLICE_FILES[name].path);
  const finish = async (name: SliceFile["name"], rows: number) => {
    const path = pathOf(name);
    await syncFile(path);
    await chmod(path, 0o444);
    files.push({ name, rows, ...(await hashFile(path, { signal })) });
  };
  if (part.records > 0) {
    const filled = new Set(staging.filledColumns);
    const columns = [
      ...RECORD_COLUMNS.map((column) => ({ ...column, staged: filled.has(column) })),
      { ...VECTOR_ROW, staged: true },
    ];
    const rows = {
      table: "sorted_records",
      part: part.part,
      facts: facts.records.get(part.part)!,
      columns,
    } as const;
    await copyRows(staging, rows, pathOf("records"), signal);
    await finish("records", part.records);
  }
  if (part.raw > 0) {
    const columns = RAW_COLUMNS.map((column) => ({ ...column, staged: true }));
    const rows = { table: "sorted_raw", part: part.part, facts: facts.raw.get(part.part)!, columns } as const;
    await copyRows(staging, rows, pathOf("raw"), signal);
    await finish("raw", part.raw);
  }
  if (part.vectors > 0) {
    const file = await open(pathOf("vectors"), "wx");
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
  const manifest = sliceManifest({
    info,
    hashes: part.records > 0 ? hashes : "check",
    platform: staging.platform(part.platform),
    lang: part.lang,
    month: part.month,
    firstMs: part.first_ms,
    lastMs: part.last_ms,
    files,
    resources,
    revises,
  });
  await writeManifest(dir, manifest);
  await syncTree(dir);
  return manifest;
}

/** Writes the manifest of a slice, read-only and synced, in the place of one that is there. */
export async function writeManifest(dir: string, manifest: SliceManifest): Promise<void> {
  const path = join(dir, MANIFEST_FILE);
  await replaceFileSynced(path, join(dir, `.${MANIFEST_FILE}-next`), manifestText(manifest));
  await chmod(path, 0o444);
}

async function* vectorsOf(staging: Staging, { part }: Part, signal: AbortSignal | undefined) {
  const sql =
    "SELECT id, source_row FROM sorted_records WHERE part = ? AND vector_row IS NOT NULL ORDER BY vector_row";
  for await (const batch of staging.db.stream<{ id: string; source_row: number }>(sql, [part], signal)) {
    for (const { id, source_row } of batch) yield { id, values: staging.vector(source_row) };
  }
}
