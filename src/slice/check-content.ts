import { DOMAIN_PREFIX } from "../contract/service/platforms.js";
import type { SliceManifest, SliceResource } from "../contract/slice/slice-manifest.js";
import { monthEndMs, monthNumber, monthStartMs } from "../contract/utc-calendar.js";
import { Database } from "../duckdb/database.js";
import { BUILD_DEFAULTS } from "../duckdb/defaults.js";
import { inSystemFolder } from "../files/system-folder.js";
import { checkSmallTable } from "./check-small-table.js";
import { checkTable } from "./check-table.js";
import { checkVectors } from "./check-vectors.js";
import type { CheckedTable, CountRows, TableFacts } from "./checked-table.js";
import type { TableRow } from "./column.js";
import { SLICE_DEFAULTS } from "./defaults.js";
import { RAW_COLUMNS } from "./raw-columns.js";
import { RECORD_COLUMNS, VECTOR_ROW } from "./record-columns.js";
import { refuseSlice } from "./refuse-slice.js";
import { dataTextFault, isPlainExtra, rawRowFault, recordRowFault } from "./row-faults.js";
import { SUSPECT_RAW, SUSPECT_RECORDS } from "./suspect-rows.js";

/** Options of {@link checkContent}. */
export interface ContentOptions {
  /** Reads the files ({@link withCheckDatabase}); default: one opened for this call. */
  readonly database?: Database;
  /** Most rows of a file that are all read. */
  readonly smallRows?: number;
}

/**
 * Checks a slice's files against its manifest and the contract: readable Parquet and Arrow, the columns and rows of the format,
 * unique sorted keys, one platform, language and month, every field of every row, and one vector per position. What passes can be
 * installed, searched and written again.
 * @throws SliceError
 */
export async function checkContent(
  dir: string,
  manifest: SliceManifest,
  { database, smallRows = SLICE_DEFAULTS.smallRows }: ContentOptions = {},
): Promise<void> {
  checkFacts(dir, manifest);
  const check = (db: Database) => checkFiles(db, dir, manifest, smallRows);
  await (database === undefined ? withCheckDatabase(check) : check(database));
}

/**
 * Runs `use` with an in-memory database for checking many slices ({@link checkContent}): opening one takes longer than checking
 * a small slice. It believes no statistics that a file states about itself, and reads few rows of many columns at once, not their
 * numbers first.
 * @param tempDirectory for what it cannot hold in memory; default: one of its own in the system's, which is removed after
 */
export async function withCheckDatabase<T>(
  use: (database: Database) => Promise<T>,
  tempDirectory?: string,
): Promise<T> {
  if (tempDirectory === undefined) return inSystemFolder("check", (folder) => withCheckDatabase(use, folder));
  const database = await Database.openKept(":memory:", {
    threads: 1,
    memoryLimit: BUILD_DEFAULTS.memoryLimit,
    tempDirectory,
    setUp: ["SET GLOBAL disabled_optimizers = 'statistics_propagation,late_materialization'"],
  });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

/** Checks what a manifest says against itself. */
function checkFacts(dir: string, { resources, mirrorlake }: SliceManifest): void {
  const { counts, filter, platform, embedding } = mirrorlake;
  const disagree = (reason: string, value: unknown): never =>
    refuseSlice("slice_manifest_invalid", dir, reason, { value });
  for (const name of ["records", "raw", "vectors"] as const) {
    const rows = resources.find((resource) => resource.name === name)?.rows ?? 0;
    if (counts[name] !== rows) disagree(`it counts ${counts[name]} ${name}, its file ${rows}`, counts[name]);
  }
  if (platform.slug !== filter.platform || platform.domain !== filter.domain)
    disagree(
      `its filter is of ${filter.domain}/${filter.platform}, its platform ${platform.domain}/${platform.slug}`,
      filter,
    );
  if ((embedding === null) !== (counts.vectors === 0))
    disagree(
      `it has ${counts.vectors} vectors and ${embedding === null ? "no model" : "a model"} of vectors`,
      embedding,
    );
  const from = Date.parse(filter.from);
  const month = monthNumber(from);
  if (from !== monthStartMs(month) || Date.parse(filter.to) !== monthEndMs(month))
    disagree(`its window is ${filter.from} to ${filter.to}, not a month in UTC`, filter);
}

async function checkFiles(
  db: Database,
  dir: string,
  manifest: SliceManifest,
  smallRows: number,
): Promise<void> {
  const tables: TableFacts[] = [];
  const check = async (table: CheckedTable) => {
    const { rows, bytes } = table.resource;
    const small = rows <= smallRows && bytes <= SLICE_DEFAULTS.smallBytes;
    const facts = (small ? await checkSmallTable(table) : undefined) ?? (await checkTable(table));
    tables.push(facts);
    return facts;
  };
  let records: readonly TableRow[] | undefined;
  for (const resource of manifest.resources) {
    if (resource.name === "records") records = (await check(recordsTable(db, dir, manifest, resource))).rows;
    else if (resource.name === "raw") await check(rawTable(db, dir, manifest, resource));
  }
  checkCaptures(tables, dir, manifest);
  const vectors = manifest.resources.find(({ name }) => name === "vectors");
  if (vectors !== undefined) await checkVectors(db, dir, manifest, vectors, records);
}

function recordsTable(
  db: Database,
  dir: string,
  manifest: SliceManifest,
  resource: SliceResource,
): CheckedTable {
  const { filter, platform, counts } = manifest.mirrorlake;
  const stem = `${DOMAIN_PREFIX[platform.domain]}_${platform.code}_`;
  const [from, next] = monthOf(filter);
  return {
    db,
    dir,
    resource,
    columns: [...RECORD_COLUMNS, VECTOR_ROW],
    expected: {
      rows: ["count(*)", (rows) => rows.length, resource.rows],
      vectors: ["count(vector_row)", (rows) => vectorRows(rows).length, counts.vectors],
      vector_rows: ["count(DISTINCT vector_row)", (rows) => new Set(vectorRows(rows)).size, counts.vectors],
      positions: [
        "coalesce(max(vector_row) + 1, 0)",
        (rows) => (rows.some(hasVector) ? Math.max(...vectorRows(rows)) + 1 : 0),
        counts.vectors,
      ],
      foreign_ids: [
        "count(*) FILTER (id IS NULL OR NOT starts_with(id, ?))",
        countOf(({ id }) => !(id as string | null)?.startsWith(stem)),
        0,
      ],
      foreign_keys: [
        "count(*) FILTER (src IS DISTINCT FROM ? OR platform IS DISTINCT FROM ? OR lang IS DISTINCT FROM ?)",
        countOf(
          ({ src, platform: slug, lang }) =>
            src !== filter.domain || slug !== filter.platform || lang !== filter.lang,
        ),
        0,
      ],
      foreign_times: [
        "count(*) FILTER (prov_ts_ms IS NULL OR prov_ts_ms < ? OR prov_ts_ms >= ?)",
        countOf(({ prov_ts_ms: ms }) => isOutside(ms, from, next)),
        0,
      ],
    },
    params: [stem, filter.domain, filter.platform, filter.lang, from, next],
    suspect: [...SUSPECT_RECORDS, "vector_row < 0"],
    rowFault: recordRowFault,
    key: ["id"],
    json: { column: "extra_other", isSound: isPlainExtra },
    captured: "prov_ts_ms",
  };
}

function rawTable(db: Database, dir: string, manifest: SliceManifest, resource: SliceResource): CheckedTable {
  const { filter } = manifest.mirrorlake;
  const [from, next] = monthOf(filter);
  return {
    db,
    dir,
    resource,
    columns: RAW_COLUMNS,
    expected: {
      rows: ["count(*)", (rows) => rows.length, resource.rows],
      foreign_keys: [
        "count(*) FILTER (platform IS DISTINCT FROM ? OR lang IS DISTINCT FROM ?)",
        countOf(({ platform, lang }) => platform !== filter.platform || lang !== filter.lang),
        0,
      ],
      foreign_times: [
        "count(*) FILTER (captured_ms IS NULL OR captured_ms < ? OR captured_ms >= ?)",
        countOf(({ captured_ms: ms }) => isOutside(ms, from, next)),
        0,
      ],
    },
    params: [filter.platform, filter.lang, from, next],
    suspect: SUSPECT_RAW,
    rowFault: rawRowFault,
    key: ["resource", "id"],
    json: { column: "data", isSound: (text) => dataTextFault(text) === undefined },
    captured: "captured_ms",
  };
}

/** The first instant of the month of a filter and of the month after it, epoch ms. */
function monthOf({ from }: { readonly from: string }): [from: number, next: number] {
  const month = monthNumber(Date.parse(from));
  return [monthStartMs(month), monthStartMs(month + 1)];
}

function countOf(holds: (row: TableRow) => boolean): CountRows {
  return (rows) => rows.filter(holds).length;
}

function hasVector(row: TableRow): boolean {
  return row[VECTOR_ROW.name] !== null;
}

function vectorRows(rows: readonly TableRow[]): number[] {
  return rows.filter(hasVector).map((row) => row[VECTOR_ROW.name] as number);
}

/** Whether a time of a row is not in a window; integers beyond the safe ones are `bigint`. */
function isOutside(ms: unknown, from: number, next: number): boolean {
  return ms === null || (ms as number | bigint) < from || (ms as number | bigint) >= next;
}

/** Checks the captures and the resources that the manifest states. */
function checkCaptures(tables: readonly TableFacts[], dir: string, { mirrorlake }: SliceManifest): void {
  const { first, last } = mirrorlake.captured;
  const starts = tables.flatMap((table) => table.first ?? []);
  const ends = tables.flatMap((table) => table.last ?? []);
  if (Math.min(...starts) !== Date.parse(first) || Math.max(...ends) !== Date.parse(last))
    refuseSlice("slice_content_mismatch", dir, `its captures are not those from ${first} to ${last}`, {
      value: dir,
    });
  // Only raw items have a key of several columns.
  const found = new Map(tables.flatMap(({ counts }) => [...counts]));
  const stated = new Map(Object.entries(mirrorlake.counts.resources));
  const differs = [...found.keys(), ...stated.keys()].find((name) => found.get(name) !== stated.get(name));
  if (differs === undefined) return;
  refuseSlice(
    "slice_content_mismatch",
    dir,
    `it has ${found.get(differs) ?? 0} raw items of ${differs}, not ${stated.get(differs) ?? 0}`,
    {
      value: differs,
    },
  );
}
