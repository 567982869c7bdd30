import { DOMAIN_PREFIX } from "../contract/service/platforms.js";
import type { SliceManifest, SliceResource } from "../contract/slice/slice-manifest.js";
import { Database } from "../duckdb/database.js";
import { BUILD_DEFAULTS } from "../duckdb/defaults.js";
import { checkTable, type TableFacts } from "./check-table.js";
import { checkVectors } from "./check-vectors.js";
import { RAW_COLUMNS } from "./raw-columns.js";
import { RECORD_COLUMNS, VECTOR_ROW } from "./record-columns.js";
import { refuseSlice } from "./refuse-slice.js";
import { dataTextFault, isPlainExtra, rawRowFault, recordRowFault } from "./row-faults.js";
import { SUSPECT_RAW, SUSPECT_RECORDS } from "./suspect-rows.js";

/**
 * Checks a slice's files against its manifest and the contract: readable Parquet and Arrow, the columns and rows of the format,
 * unique sorted keys, one platform, language and month, every field of every row, and one vector per position. What passes can be
 * installed, searched and written again.
 * @param database reads the files ({@link withCheckDatabase}); default: one opened for this call
 * @throws SliceError
 */
export async function checkContent(dir: string, manifest: SliceManifest, database?: Database): Promise<void> {
  checkFacts(dir, manifest);
  if (database === undefined) await withCheckDatabase((opened) => checkFiles(opened, dir, manifest));
  else await checkFiles(database, dir, manifest);
}

/**
 * Runs `use` with an in-memory database for checking many slices ({@link checkContent}): opening one takes longer than checking
 * a small slice. It believes no statistics that a file states about itself.
 */
export async function withCheckDatabase<T>(use: (database: Database) => Promise<T>): Promise<T> {
  const database = await Database.openKept(":memory:", {
    threads: 1,
    memoryLimit: BUILD_DEFAULTS.memoryLimit,
    setUp: ["SET GLOBAL disabled_optimizers = 'statistics_propagation'"],
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
  const from = new Date(filter.from);
  const next = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1);
  if (
    from.toISOString() !== `${from.toISOString().slice(0, 7)}-01T00:00:00.000Z` ||
    Date.parse(filter.to) !== next
  )
    disagree(`its window is ${filter.from} to ${filter.to}, not a month in UTC`, filter);
}

async function checkFiles(db: Database, dir: string, manifest: SliceManifest): Promise<void> {
  const tables: TableFacts[] = [];
  for (const resource of manifest.resources) {
    if (resource.name === "records") tables.push(await checkRecords(db, dir, manifest, resource));
    else if (resource.name === "raw") tables.push(await checkRaw(db, dir, manifest, resource));
  }
  checkCaptures(tables, dir, manifest);
  const vectors = manifest.resources.find(({ name }) => name === "vectors");
  if (vectors !== undefined) await checkVectors(db, dir, manifest, vectors);
}

async function checkRecords(
  db: Database,
  dir: string,
  manifest: SliceManifest,
  resource: SliceResource,
): Promise<TableFacts> {
  const { filter, platform, counts } = manifest.mirrorlake;
  return checkTable({
    db,
    dir,
    resource,
    columns: [...RECORD_COLUMNS, VECTOR_ROW],
    expected: {
      rows: ["count(*)", resource.rows],
      vectors: ["count(vector_row)", counts.vectors],
      vector_rows: ["count(DISTINCT vector_row)", counts.vectors],
      positions: ["coalesce(max(vector_row) + 1, 0)", counts.vectors],
      foreign_ids: ["count(*) FILTER (id IS NULL OR NOT starts_with(id, ?))", 0],
      foreign_keys: [
        "count(*) FILTER (src IS DISTINCT FROM ? OR platform IS DISTINCT FROM ? OR lang IS DISTINCT FROM ?)",
        0,
      ],
      foreign_times: ["count(*) FILTER (prov_ts_ms IS NULL OR prov_ts_ms < ? OR prov_ts_ms >= ?)", 0],
    },
    params: [
      `${DOMAIN_PREFIX[platform.domain]}_${platform.code}_`,
      filter.domain,
      filter.platform,
      filter.lang,
      Date.parse(filter.from),
      Date.parse(filter.to),
    ],
    suspect: [...SUSPECT_RECORDS, "vector_row < 0"],
    rowFault: recordRowFault,
    key: ["id"],
    json: { column: "extra_other", isSound: isPlainExtra },
    captured: "prov_ts_ms",
  });
}

async function checkRaw(
  db: Database,
  dir: string,
  manifest: SliceManifest,
  resource: SliceResource,
): Promise<TableFacts> {
  const { filter } = manifest.mirrorlake;
  return checkTable({
    db,
    dir,
    resource,
    columns: RAW_COLUMNS,
    expected: {
      rows: ["count(*)", resource.rows],
      foreign_keys: ["count(*) FILTER (platform IS DISTINCT FROM ? OR lang IS DISTINCT FROM ?)", 0],
      foreign_times: ["count(*) FILTER (captured_ms IS NULL OR captured_ms < ? OR captured_ms >= ?)", 0],
    },
    params: [filter.platform, filter.lang, Date.parse(filter.from), Date.parse(filter.to)],
    suspect: SUSPECT_RAW,
    rowFault: rawRowFault,
    key: ["resource", "id"],
    json: { column: "data", isSound: (text) => dataTextFault(text) === undefined },
    captured: "captured_ms",
  });
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
