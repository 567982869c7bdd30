import { join } from "node:path";
import { RowSet } from "../../contract/lake/row-set.js";
import { Database } from "../../duckdb/database.js";
import { BUILD_DEFAULTS } from "../../duckdb/defaults.js";
import { SLICE_FILES } from "../../slice/read-slice-manifest.js";
import { readColumns } from "../filter-columns.js";
import { GENERATION_FILES, readGenerationManifest, rowCounts } from "./generation-manifest.js";
import { type ItemKind, RAW, RECORDS } from "./item-kinds.js";
import type { SourceSlice } from "./load-tables.js";
import type { SegmentSize } from "./merge-policy.js";
import { segmentRows } from "./segment-rows.js";

/** What a generation has without slices that go. */
export interface SupersededSurvey {
  /** Items that it shows then. */
  readonly shown: SegmentSize;
  /** Its other rows, in segments of which something is shown. */
  readonly hidden: SegmentSize;
  /** The slices that have other editions of what is shown of those that go. */
  readonly holders: readonly SourceSlice[];
}

/**
 * Looks at what becomes of a generation when slices go, by its tables and by keys of slices that stay.
 * @param roots of the slices that go
 * @param candidates slices that stay and may have other editions of their items: those of their platforms
 * @param tempDirectory folder for what does not fit into memory
 * @throws DatabaseError; RangeError for files that do not match the generation's manifest
 */
export async function surveySuperseded(
  dir: string,
  roots: ReadonlySet<string>,
  candidates: readonly SourceSlice[],
  tempDirectory: string,
  signal?: AbortSignal,
): Promise<SupersededSurvey> {
  const manifest = await readGenerationManifest(dir);
  const { live } = await readColumns(join(dir, GENERATION_FILES.columns), manifest, rowCounts(manifest));
  const going = manifest.slices.flatMap((root, number) => (roots.has(root) ? [number] : []));
  const db = await Database.openKept(join(dir, GENERATION_FILES.database), {
    readOnly: true,
    memoryLimit: BUILD_DEFAULTS.memoryLimit,
    threads: 1,
    tempDirectory,
  });
  try {
    const left = async (kind: ItemKind, rows: RowSet) => {
      const found = await db.rows<{ row: number }>(`SELECT "row" ${shownOf(kind)}`, [going]);
      return rows.minus(
        RowSet.of(
          rows.size,
          found.map(({ row }) => row),
        ),
      );
    };
    const segments = segmentRows(manifest, {
      records: await left(RECORDS, live.records),
      raw: await left(RAW, live.raw),
    });
    const staying = segments.filter(({ shown }) => shown.records + shown.raw > 0);
    const sum = (of: (segment: (typeof staying)[number]) => number) =>
      staying.reduce((total, segment) => total + of(segment), 0);
    const shown = {
      records: sum((segment) => segment.shown.records),
      raw: sum((segment) => segment.shown.raw),
    };
    const hidden = {
      records: sum(({ records }) => records.count) - shown.records,
      raw: sum(({ raw }) => raw.count) - shown.raw,
    };
    const paths = new Set<string>();
    for (const kind of [RECORDS, RAW])
      for (const path of await pathsOfHolders(db, kind, going, candidates, signal)) paths.add(path);
    const isHolder = (slice: SourceSlice) =>
      [RECORDS, RAW].some(({ table }) => paths.has(pathOf(slice, table)));
    return { shown, hidden, holders: candidates.filter(isHolder) };
  } finally {
    await db.close();
  }
}

/** SQL of the items that are shown of slices, whose numbers are a parameter. */
function shownOf({ table }: ItemKind): string {
  return `FROM ${table} WHERE slice IN (SELECT unnest(?::INTEGER[]))`;
}

async function pathsOfHolders(
  db: Database,
  kind: ItemKind,
  going: readonly number[],
  candidates: readonly SourceSlice[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const { table, key } = kind;
  const paths = candidates
    .filter(({ manifest }) => manifest.resources.some(({ name }) => name === table))
    .map((slice) => pathOf(slice, table));
  signal?.throwIfAborted();
  if (paths.length === 0) return [];
  const keys = key.join(", ");
  const found = await db.rows<{ filename: string }>(
    `SELECT DISTINCT filename FROM read_parquet(?, filename = true) SEMI JOIN (SELECT ${keys} ${shownOf(kind)}) USING (${keys})`,
    [paths, going],
  );
  return found.map(({ filename }) => filename);
}

function pathOf({ dir }: SourceSlice, table: ItemKind["table"]): string {
  return join(dir, SLICE_FILES[table].path);
}
