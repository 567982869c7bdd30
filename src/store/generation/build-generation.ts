import { join } from "node:path";
import type { Removal } from "../../contract/lake/removal.js";
import { RowSet } from "../../contract/lake/row-set.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import { Database } from "../../duckdb/database.js";
import { BUILD_DEFAULTS } from "../../duckdb/defaults.js";
import { writeNewFile } from "../../files/durable-files.js";
import { engineThreads } from "../../slice/engine-threads.js";
import { asOfRecords, type StrayCaptures } from "../as-of.js";
import { ColumnsBuilder, type ColumnValues, writeColumns } from "../filter-columns.js";
import { recordsPath, writeSegmentRaw, writeSegmentRecords } from "../rows/segment.js";
import { vectorPlaces, type WrittenRecords } from "../rows/written-records.js";
import {
  type Merging,
  nextSegmentName,
  readBase,
  shareSegments,
  stayingSegments,
} from "./base-generation.js";
import { createTables } from "./create-tables.js";
import { derivePriceChanges } from "./derive-price-changes.js";
import {
  GENERATION_FILES,
  GENERATION_FORMAT_VERSION,
  type GenerationManifest,
  grownBy,
  readSliceManifests,
  rowCounts,
} from "./generation-manifest.js";
import { type Loaded, loadSlices, type SourceSlice } from "./load-tables.js";
import { mergeRows } from "./merge-rows.js";
import { numberSlices } from "./number-slices.js";
import type { PriceChange } from "./price-changes.js";
import { writePriceChanges } from "./price-changes-file.js";
import { rawAsOf } from "./raw-as-of.js";
import { writeSliceManifests } from "./slice-manifests-file.js";
import { dropGoneTables, type Superseded, withdrawSlices } from "./withdraw-slices.js";

/** Progress of {@link buildGeneration}. */
export interface GenerationProgress {
  readonly phase: "load" | "records" | "raw";
  readonly done: number;
  readonly total: number;
  /** What is counted. */
  readonly unit: "slices" | "records" | "items";
}

/** Options of {@link buildGeneration}. */
export interface GenerationOptions {
  /** Verified slices to add; none of them is in the base. */
  readonly slices: readonly SourceSlice[];
  /**
   * Generation to extend: its segments are shared by hard links, and the new items, if there are any, become one more segment, with the
   * items of small segments that it follows.
   */
  readonly base?: string;
  /** Slices of the base that go. Only where nothing was removed from the lake. */
  readonly superseded?: Superseded | undefined;
  /** Which segments of the base are merged. Default: `all`. */
  readonly merging?: Merging | undefined;
  /** Records that slices brought since the embedder was fitted. Default: with a base what it says and what its new slices bring, else 0. */
  readonly grown?: number;
  /** Databases of generations of the same slices whose editions are left out: what is built has those that lost to theirs. */
  readonly except?: readonly string[];
  /** Removals of the lake: removed items are not loaded, and are deleted from the base's rows. */
  readonly removals?: readonly Removal[];
  /** The clock's time, epoch ms: later captures are no as-of. */
  readonly nowMs: number;
  readonly threads?: number;
  readonly onProgress?: (progress: GenerationProgress) => void;
  /** Called once the records are written, so that work on them can go on beside the rest; of many rows only when the database is closed. */
  readonly onWritten?: (records: WrittenRecords) => void;
  readonly signal?: AbortSignal;
}

/** A built generation, and the outcome for the items of its new slices. */
export interface BuiltGeneration {
  readonly manifest: GenerationManifest;
  readonly records: Loaded;
  readonly raw: Loaded;
  /** The new records. */
  readonly written: WrittenRecords;
  /** Records that are captured too late to count for as-of; absent if there are none. */
  readonly stray?: StrayCaptures;
}

/**
 * Builds a generation in an empty folder: a DuckDB file (`slices`, `records`, `raw`) for scans, segments of row stores for
 * look-ups, and columns for filters. Nothing is synced: who publishes the folder does that. The search index is not part of it.
 * @throws the signal's reason when aborted; the folder is then incomplete and must be removed
 */
export async function buildGeneration(dir: string, options: GenerationOptions): Promise<BuiltGeneration> {
  const { slices, superseded, signal, onProgress } = options;
  const found = options.base === undefined ? undefined : await readBase(options.base, dir);
  const known = options.base === undefined ? [] : await readSliceManifests(options.base);
  const manifests = numberSlices(
    known,
    ({ mirrorlake }) => superseded?.roots.has(mirrorlake.root) === true,
    slices.map(({ manifest }) => manifest),
  );
  const roots = manifests.map(({ mirrorlake }) => mirrorlake.root);
  const rows = found === undefined ? { records: 0, raw: 0 } : rowCounts(found.manifest);
  const database = join(dir, GENERATION_FILES.database);
  const enough = engineThreads(
    slices.map(({ manifest }) => manifest),
    rows.records + rows.raw,
  );
  const db = await Database.openKept(database, {
    memoryLimit: BUILD_DEFAULTS.memoryLimit,
    threads: enough === 1 ? 1 : (options.threads ?? BUILD_DEFAULTS.threads),
    tempDirectory: join(dir, "spill"),
    // A database keeps the size of its blocks.
    blockBytes: found === undefined ? blockBytes(slices) : undefined,
  });
  let base = found;
  let loaded: { records: Loaded; raw: Loaded };
  let columns: ColumnValues;
  let changes: readonly PriceChange[];
  let rawAsOfMs: number;
  let written: WrittenRecords;
  let segments: GenerationManifest["segments"];
  let first: { readonly records: number; readonly raw: number };
  const beside = rowsOf(slices) <= BUILD_DEFAULTS.besideRows;
  try {
    if (base === undefined) await createTables(db);
    const total = slices.length;
    const onShare =
      onProgress &&
      ((share: number) =>
        onProgress({ phase: "load", done: Math.floor(share * total), total, unit: "slices" }));
    onShare?.(0);
    const withdrawal =
      base === undefined || superseded === undefined
        ? undefined
        : await withdrawSlices(db, base, superseded.roots, roots);
    base = withdrawal?.base ?? base;
    const old = base === undefined ? { records: 0, raw: 0 } : rowCounts(base.manifest);
    loaded = await loadSlices(
      db,
      slices,
      { numberOf: (root) => roots.indexOf(root), first: old, holders: superseded?.holders },
      { removals: options.removals ?? [], except: options.except ?? [], onShare, signal },
    );
    if (withdrawal !== undefined) await dropGoneTables(db);
    onShare?.(1);
    // What lost to others has no prices to compare with.
    changes =
      options.except === undefined
        ? await derivePriceChanges(db, {
            base,
            first: old,
            removals: options.removals ?? [],
            left: [...loaded.raw.products, ...(withdrawal?.products ?? [])],
            signal,
          })
        : [];
    const stay = base === undefined ? [] : stayingSegments(base, loaded, options.merging ?? "all");
    first = rowCounts({ segments: stay });
    const merges = base !== undefined && stay.length < base.manifest.segments.length;
    const former = merges ? await mergeRows(db, "records", first.records, signal) : undefined;
    const counts = {
      records: former?.length ?? loaded.records.added,
      raw: merges ? (await mergeRows(db, "raw", first.raw, signal)).length : loaded.raw.added,
    };
    const builder = new ColumnsBuilder(base?.columns, first.records + counts.records, first.records);
    const done = { records: 0, raw: 0 };
    const name = nextSegmentName(found?.manifest.segments ?? []);
    const segment = join(dir, GENERATION_FILES.segments, name);
    if (base !== undefined) await shareSegments(base.dir, dir, stay);
    const onRecords = (batch: readonly StoredRecord[]) => {
      for (const record of batch) builder.add(record);
      done.records += batch.length;
      onProgress?.({ phase: "records", done: done.records, total: counts.records, unit: "records" });
    };
    const fills = stay.length === 0 || counts.records + counts.raw > 0;
    const records = fills ? await writeSegmentRecords(db, segment, first.records, onRecords, signal) : 0;
    written = {
      path: fills ? recordsPath(segment) : undefined,
      first: first.records,
      count: records,
      vectors: await vectorPlaces(db, first.records, records, signal),
      segments: stay,
      dropped: withdrawal?.dropped ?? [],
      staying: stillShown(base?.live.records, loaded.records, first.records),
      former,
    };
    if (beside) options.onWritten?.(written);
    const onRaw = (items: number) => {
      done.raw += items;
      onProgress?.({ phase: "raw", done: done.raw, total: counts.raw, unit: "items" });
    };
    const raw = fills ? await writeSegmentRaw(db, segment, first.raw, onRaw, signal) : 0;
    segments = fills ? [...stay, { name, records, raw }] : stay;
    columns = builder.finish();
    rawAsOfMs = await rawAsOf(db, options.nowMs);
    await db.run("CHECKPOINT");
  } finally {
    await db.close();
  }
  if (!beside) options.onWritten?.(written);
  const rowsNow = rowCounts({ segments });
  const live = {
    records: withNewRows(written.staying, rowsNow.records - first.records),
    raw: withNewRows(stillShown(base?.live.raw, loaded.raw, first.raw), rowsNow.raw - first.raw),
  };
  await writeColumns(join(dir, GENERATION_FILES.columns), columns, live);
  await writePriceChanges(
    join(dir, GENERATION_FILES.priceChanges),
    changes.filter(({ row }) => row < first.records && live.records.has(row)),
  );
  const { asOfMs, stray } = asOfRecords(columns.capturedMs, live.records, options.nowMs);
  const manifest: GenerationManifest = {
    formatVersion: GENERATION_FORMAT_VERSION,
    slices: roots,
    segments,
    grown: options.grown ?? (found === undefined ? 0 : grownBy(found.manifest) + recordsOf(slices)),
    liveRecords: live.records.count,
    liveRaw: live.raw.count,
    asOfMs,
    rawAsOfMs,
    platforms: columns.platforms.map(({ slug, domain }) => ({ slug, domain })),
    langs: [...columns.langs],
  };
  await writeSliceManifests(join(dir, GENERATION_FILES.slices), manifests);
  await writeNewFile(join(dir, GENERATION_FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
  return { manifest, ...loaded, written, stray };
}

/**
 * Slices of fewer bytes get a database of smaller blocks, of which every column takes one at least. From 32 kB on the engine packs
 * integers into bits.
 */
const BLOCKS = [
  { below: 512 * 1024, bytes: 16_384 },
  { below: 64 * 1024 * 1024, bytes: 32_768 },
  { below: Number.POSITIVE_INFINITY, bytes: 262_144 },
];

function rowsOf(slices: readonly SourceSlice[]): number {
  return slices.reduce(
    (sum, { manifest: { mirrorlake } }) => sum + mirrorlake.counts.records + mirrorlake.counts.raw,
    0,
  );
}

function recordsOf(slices: readonly SourceSlice[]): number {
  return slices.reduce((sum, { manifest: { mirrorlake } }) => sum + mirrorlake.counts.records, 0);
}

function blockBytes(slices: readonly SourceSlice[]): number {
  const bytes = slices.flatMap(({ manifest }) => manifest.resources.map((resource) => resource.bytes));
  const total = bytes.reduce((sum, size) => sum + size, 0);
  return BLOCKS.find(({ below }) => total < below)!.bytes;
}

/** Those of the base's first rows that are still shown. */
function stillShown(base: RowSet | undefined, { replaced, withdrawn }: Loaded, count: number): RowSet {
  const hidden = new Set([...replaced, ...withdrawn]);
  return RowSet.fromPredicate(count, (row) => base!.has(row) && !hidden.has(row));
}

/** The live rows: those that are still shown, and all of the new segment. */
function withNewRows(staying: RowSet, count: number): RowSet {
  const first = staying.size;
  return RowSet.fromPredicate(first + count, (row) => row >= first || staying.has(row));
}
