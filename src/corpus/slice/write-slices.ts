import { chmod, mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { SliceError } from "../../contract/errors.js";
import { MANIFEST_FILE, type SliceManifest } from "../../contract/manifest.js";
import type { SliceItem, SourceInfo } from "../../contract/slice-item.js";
import { BUILD_DEFAULTS } from "../defaults.js";
import { hashFile, renameSynced, syncFile, syncTree, writeFileSynced } from "../durable-files.js";
import { makeTemporaryFolder, removeAbandonedFolders } from "../temporary-folder.js";
import { writeVectors } from "../vector-file.js";
import { columnNames, quoteName, quoteText } from "./column.js";
import { dropDuplicates } from "./drop-duplicates.js";
import { RAW_COLUMNS } from "./raw-columns.js";
import { RECORD_COLUMNS } from "./record-columns.js";
import { manifestText, SLICE_FILES, type SliceFile, sliceManifest } from "./slice-manifest.js";
import { monthOf, Staging } from "./staging.js";

/** A slice that was written or, being there already, kept. */
export interface WrittenSlice {
  /** Its folder: `<out>/<root>`. */
  readonly dir: string;
  readonly root: string;
  readonly manifest: SliceManifest;
  /** Bytes of all of its files. */
  readonly bytes: number;
}

/** An item whose key another item of the same input has too, with other content, captured later. */
export interface DuplicateItem {
  readonly kind: "record" | "raw";
  /** Record id, or `platform/resource/id`. */
  readonly id: string;
  /** True when both were the same; false when the older one was left out: then it belongs into the rejects. */
  readonly identical: boolean;
  readonly reason: string;
}

/** How far {@link writeSlices} has come; items are counted on arrival, slices when complete. */
export interface WriteProgress {
  readonly phase: "receive" | "write";
  readonly items: number;
  readonly slices: number;
}

/** Options of {@link writeSlices}. */
export interface WriteOptions {
  /** Folder of the slices; made when absent. */
  readonly out: string;
  readonly info: SourceInfo;
  /**
   * Slices of which these are the revision: each is superseded by the one of its platform, language and month, or by the first
   * where there is none; one that would be the same is not written.
   */
  readonly revises?: readonly SliceManifest[];
  readonly onProgress?: (progress: WriteProgress) => void;
  /** Told of every item that was left out because another has its key. */
  readonly onDuplicate?: (duplicate: DuplicateItem) => void;
  readonly signal?: AbortSignal;
}

interface Part {
  readonly part: number;
  readonly platform: string;
  readonly lang: string;
  readonly month: number;
  readonly records: number;
  readonly raw: number;
  readonly vectors: number;
  readonly first_ms: number;
  readonly last_ms: number;
}

/**
 * Writes items as slices, one for each domain, platform, language and month of capture (UTC): `<out>/<root hash>/` with
 * `datapackage.json`, `records.parquet`, `raw.parquet` and `vectors.arrow` where there is something to hold. Sorted by
 * id: the same items give the same bytes, whatever the order in which they came. Works in a temporary folder of `out`,
 * syncs, then renames; on failure nothing stays behind. A slice that is there already is kept.
 * @throws IngestError for an item that no slice can hold; SliceError when `out` has a damaged slice of the same root;
 * the signal's reason when aborted
 */
export async function writeSlices(
  items: AsyncIterable<readonly SliceItem[]>,
  options: WriteOptions,
): Promise<WrittenSlice[]> {
  const { out, info, signal, onProgress } = options;
  await mkdir(out, { recursive: true });
  await removeAbandonedFolders(out);
  const temporary = await makeTemporaryFolder(out);
  let staging: Staging | undefined;
  try {
    staging = await Staging.open(temporary, info);
    for await (const batch of items) {
      signal?.throwIfAborted();
      await staging.add(batch);
      onProgress?.({ phase: "receive", items: staging.items, slices: 0 });
    }
    await staging.finish();
    await dropDuplicates(staging, options.onDuplicate, signal);
    const parts = await partition(staging, signal);
    const revised = assignRevised(staging, parts, options.revises ?? []);
    const made: { dir: string; manifest: SliceManifest }[] = [];
    for (const [i, part] of parts.entries()) {
      signal?.throwIfAborted();
      const dir = join(temporary, `slice-${part.part}`);
      const manifest = await writePart(staging, part, dir, info, revised[i]!, signal);
      if (revised[i]!.length !== 1 || !sameFiles(manifest, revised[i]![0]!)) made.push({ dir, manifest });
      onProgress?.({ phase: "write", items: staging.items, slices: made.length });
    }
    signal?.throwIfAborted();
    const written: WrittenSlice[] = [];
    for (const { dir, manifest } of made) written.push(await publish(dir, manifest, out));
    return written;
  } finally {
    await staging?.close();
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The slices that each part supersedes. @throws SliceError `revision_empty` when there is no part to supersede them */
function assignRevised(
  staging: Staging,
  parts: readonly Part[],
  revises: readonly SliceManifest[],
): SliceManifest[][] {
  const assigned: SliceManifest[][] = parts.map(() => []);
  for (const manifest of revises) {
    const { domain, platform, lang, from } = manifest.mirrorlake.filter;
    const month = monthOf(from, manifest.mirrorlake.root);
    const same = parts.findIndex(
      (part) =>
        part.platform === platform &&
        part.lang === lang &&
        part.month === month &&
        staging.platform(part.platform).domain === domain,
    );
    const into = assigned[Math.max(0, same)];
    if (into === undefined) {
      throw new SliceError("revision_empty", "There is nothing that could supersede the slices to revise", {
        value: manifest.mirrorlake.root,
        remedy: "give the input of the revision; to take slices out of a lake, use retention or takedowns",
      });
    }
    into.push(manifest);
  }
  return assigned;
}

function sameFiles(a: SliceManifest, b: SliceManifest): boolean {
  const files = ({ resources }: SliceManifest) => resources.map(({ name, hash }) => `${name} ${hash}`).sort();
  return files(a).join() === files(b).join();
}

/** Sorts the staged rows into tables by part and id, and lists the parts. */
async function partition(staging: Staging, signal: AbortSignal | undefined): Promise<Part[]> {
  const { db } = staging;
  const run = (sql: string) => db.run(sql, [], signal);
  await run(`CREATE TABLE parts AS
    WITH keys AS (
      SELECT src AS domain, platform, lang, month FROM records UNION SELECT domain, platform, lang, month FROM raw)
    SELECT row_number() OVER (ORDER BY domain, platform, lang, month)::INTEGER AS part, * FROM keys`);
  await run(`CREATE TABLE positions AS
    SELECT seq, part, (row_number() OVER (PARTITION BY part ORDER BY id) - 1)::INTEGER AS vector_row
    FROM records JOIN parts ON src = domain AND parts.platform = records.platform AND parts.lang = records.lang
      AND parts.month = records.month
    WHERE source_row IS NOT NULL`);
  // Columns without any value are left out: most are, and the width of the rows is what sorting takes its time for.
  const filled = staging.filledColumns.map(({ name }) => `records.${quoteName(name)}`);
  await run(`CREATE TABLE sorted_records AS
    SELECT ${["parts.part", "source_row", ...filled].join(", ")}, vector_row
    FROM records JOIN parts ON src = domain AND parts.platform = records.platform AND parts.lang = records.lang
      AND parts.month = records.month LEFT JOIN positions ON positions.seq = records.seq
    ORDER BY parts.part, id`);
  await run("DROP TABLE records");
  await run(`CREATE TABLE sorted_raw AS
    SELECT part, raw.* FROM raw JOIN parts USING (domain, platform, lang, month)
    ORDER BY part, resource, id`);
  await run("DROP TABLE raw");
  // One thread reads the tables in the order in which they were made, so that nothing is sorted twice; and the bytes of a
  // Parquet file that one thread writes depend on its rows alone.
  await run("SET threads = 1");
  return db.rows<Part & Record<string, unknown>>(`
    WITH captures AS (
      SELECT part, prov_ts_ms AS ms, 1 AS record, (vector_row IS NOT NULL)::INTEGER AS vector FROM sorted_records
      UNION ALL SELECT part, captured_ms, 0, 0 FROM sorted_raw)
    SELECT part, platform, lang, month, sum(record)::BIGINT AS records, sum(1 - record)::BIGINT AS raw,
      sum(vector)::BIGINT AS vectors, min(ms) AS first_ms, max(ms) AS last_ms
    FROM captures JOIN parts USING (part) GROUP BY ALL ORDER BY part`);
}

async function writePart(
  staging: Staging,
  part: Part,
  dir: string,
  info: SourceInfo,
  revises: readonly SliceManifest[],
  signal: AbortSignal | undefined,
): Promise<SliceManifest> {
  await mkdir(dir);
  const files: SliceFile[] = [];
  const finish = async (name: SliceFile["name"], rows: number) => {
    const path = join(dir, SLICE_FILES[name].path);
    await syncFile(path);
    await chmod(path, 0o444);
    files.push({ name, rows, ...(await hashFile(path, signal === undefined ? {} : { signal })) });
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
        ...(info.vectorModel === undefined ? {} : { model: info.vectorModel }),
        ...(signal === undefined ? {} : { signal }),
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

async function publish(dir: string, manifest: SliceManifest, out: string): Promise<WrittenSlice> {
  const root = manifest.mirrorlake.root;
  const target = join(out, root);
  const bytes = manifest.resources.reduce((sum, resource) => sum + resource.bytes, 0);
  if (await isSame(target, manifest)) await rm(dir, { recursive: true });
  else await renameSynced(dir, target);
  return { dir: target, root, manifest, bytes };
}

async function isSame(target: string, manifest: SliceManifest): Promise<boolean> {
  const there = await readFile(join(target, MANIFEST_FILE), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  const sizes = await Promise.all(
    manifest.resources.map(({ path }) =>
      stat(join(target, path)).then(
        (s) => s.size,
        () => undefined,
      ),
    ),
  );
  const whole =
    there === manifestText(manifest) && manifest.resources.every(({ bytes }, i) => bytes === sizes[i]);
  const absent = there === undefined && sizes.every((size) => size === undefined);
  if (whole || absent) return whole;
  throw new SliceError("slice_damaged", `Slice ${target} is there already, but damaged`, {
    value: target,
    remedy: "delete that folder and ingest again",
  });
}
