import { join } from "node:path";
import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { PathOption, SignalOption } from "../contract/option-schemas.js";
import { unknownField } from "../contract/service/answer-fields.js";
import { StoredRecord } from "../contract/service/unified-record.js";
import { canonicalJson } from "../contract/slice/canonical-json.js";
import { RawItem } from "../contract/slice/slice-item.js";
import { Database } from "../duckdb/database.js";
import { BUILD_DEFAULTS } from "../duckdb/defaults.js";
import { quoteText } from "../duckdb/quote-sql.js";
import { makeSystemFolder } from "../files/system-folder.js";
import { findSlices } from "../lake/find-slices.js";
import { lakePaths } from "../lake/lake-paths.js";
import { isLake } from "../lake/lake-slices.js";
import { requireCurrent } from "../lake/missing-current.js";
import { takeLease } from "../lake/open/leases.js";
import { removedFrom } from "../lake/open/open-view.js";
import { columnNames, columnsSql, type TableRow } from "../slice/column.js";
import { RAW_COLUMNS, rawOfRow } from "../slice/raw-columns.js";
import { RECORD_COLUMNS, recordOfRow } from "../slice/record-columns.js";
import { liveViewsSql, REMOVED_TABLES_SQL, redactedRows } from "../sql/live-views.js";
import { GENERATION_FILES } from "../store/generation/generation-manifest.js";
import { filesOf } from "../store/removals/known-slice.js";

/** A record or raw item that differs between the sides. */
export interface Difference {
  readonly kind: "record" | "raw";
  /** Record id, or `platform/resource/id`. */
  readonly key: string;
  readonly change: "added" | "removed" | "changed";
  /** Changed fields by path (`metrics.likes`, `data.text`), before and after; null for an absent value. */
  readonly fields?: readonly { readonly path: string; readonly before: unknown; readonly after: unknown }[];
}

/** Options of {@link diffSlices}. */
export interface DiffOptions {
  /**
   * Fields that do not count, by path, each with all that it leads to: `["prov", "metrics.views"]`. An item that differs in nothing else
   * is not listed. Default: none.
   */
  readonly ignore?: readonly string[];
  readonly signal?: AbortSignal;
}

const KINDS = {
  record: {
    table: "records",
    columns: columnNames(RECORD_COLUMNS),
    definitions: columnsSql(RECORD_COLUMNS),
    key: ["id"],
    newest: "prov_ts_ms DESC, prov_hash DESC, root DESC",
    read: (row: TableRow): object => recordOfRow(row),
  },
  raw: {
    table: "raw",
    columns: columnNames(RAW_COLUMNS),
    definitions: columnsSql(RAW_COLUMNS),
    key: ["platform", "resource", "id"],
    newest: "captured_ms DESC, md5(data) DESC, root DESC",
    read: (row: TableRow): object => rawOfRow(row),
  },
} as const;

const OPTIONS = optionsSchema<DiffOptions>(() => ({
  ignore: z
    .array(
      z.string().refine(isField, "must be a field of records or raw items, such as prov or metrics.views"),
    )
    .optional(),
  signal: SignalOption.optional(),
}));

/**
 * What differs between two sides, records by id, then raw items by key: each side a slice, a folder of slices, or a lake, which
 * is compared as it answers, without what was removed. Of editions of one item the newest counts, as in a lake. Streamed: memory
 * is bounded whatever the size of the sides.
 * @throws LakeError `slices_not_found`, `lake_empty`, `lake_current_missing`, `generation_missing`; SliceError for a manifest that is not valid; the signal's reason
 */
export function diffSlices(
  before: string,
  after: string,
  options: DiffOptions = {},
): AsyncGenerator<Difference[], void, void> {
  checkArgument(PathOption, before, "before", "diffSlices");
  checkArgument(PathOption, after, "after", "diffSlices");
  checkOptions(OPTIONS, options, "diffSlices");
  return allDifferences(before, after, options);
}

/** Whether records or raw items can have a field at a path. */
function isField(path: string): boolean {
  return [StoredRecord, RawItem].some((schema) => unknownField(schema, { fields: [path] }) === undefined);
}

async function* allDifferences(
  before: string,
  after: string,
  options: DiffOptions,
): AsyncGenerator<Difference[], void, void> {
  const temporary = await makeSystemFolder("diff");
  const releases: (() => Promise<void>)[] = [];
  try {
    const db = await Database.openKept(":memory:", {
      memoryLimit: BUILD_DEFAULTS.memoryLimit,
      threads: BUILD_DEFAULTS.threads,
      tempDirectory: temporary.path,
    });
    releases.unshift(() => db.close());
    releases.push(await addSide(db, "a", before), await addSide(db, "b", after));
    for (const kind of ["record", "raw"] as const) yield* differences(db, kind, options);
  } finally {
    for (const release of releases) await release();
    await temporary.remove();
  }
}

/** Makes the views `<side>_records` and `<side>_raw`; returns what lets go of what they read. */
async function addSide(db: Database, side: "a" | "b", path: string): Promise<() => Promise<void>> {
  if (await isLake(path)) return addLake(db, side, path);
  const slices = await findSlices([path]);
  await db.run(`CREATE TABLE ${side}_roots (path VARCHAR, root VARCHAR)`);
  for (const { table, columns, definitions, key, newest } of Object.values(KINDS)) {
    const files = filesOf(slices, table);
    await db.append(
      `${side}_roots`,
      slices.flatMap((slice) =>
        filesOf([slice], table).map((file) => [file, slice.manifest.mirrorlake.root]),
      ),
    );
    if (files.length === 0) {
      await db.run(`CREATE TABLE ${side}_${table} (${definitions})`);
      continue;
    }
    await db.run(`CREATE VIEW ${side}_${table} AS SELECT ${columns}
      FROM read_parquet([${files.map(quoteText).join(", ")}], filename = true) JOIN ${side}_roots ON path = filename
      ${files.length === 1 ? "" : `QUALIFY row_number() OVER (PARTITION BY ${key.join(", ")} ORDER BY ${newest}) = 1`}`);
  }
  return async () => {};
}

async function addLake(db: Database, side: "a" | "b", lake: string): Promise<() => Promise<void>> {
  const generation = await requireCurrent(lake);
  const lease = await takeLease(lake, generation);
  try {
    const dir = lakePaths(lake).generation(generation);
    const { rows } = await removedFrom(lake, generation, dir);
    const schema = `${side}_lake`;
    await db.attach(join(dir, GENERATION_FILES.database), schema);
    const mine = (sql: string) =>
      sql
        .replaceAll("corpus.", `${schema}.`)
        .replaceAll(
          /\b(removed_(?:records|raw)_rows|redacted_records|live_records|live_raw)\b/g,
          `${side}_$1`,
        );
    for (const sql of REMOVED_TABLES_SQL) await db.run(mine(sql));
    await db.append(
      `${side}_removed_records_rows`,
      rows.records.map((row) => [row]),
    );
    await db.append(
      `${side}_removed_raw_rows`,
      rows.raw.map((row) => [row]),
    );
    await db.append(`${side}_redacted_records`, redactedRows(rows));
    for (const sql of liveViewsSql(rows)) await db.run(mine(sql));
    for (const { table, columns } of Object.values(KINDS))
      await db.run(`CREATE VIEW ${side}_${table} AS SELECT ${columns} FROM ${side}_live_${table}`);
    return () => lease.release();
  } catch (error) {
    await lease.release();
    throw error;
  }
}

async function* differences(
  db: Database,
  kind: Difference["kind"],
  { ignore = [], signal }: DiffOptions,
): AsyncGenerator<Difference[], void, void> {
  const { table, key, read } = KINDS[kind];
  const keys = key.map((name) => `coalesce(a.${name}, b.${name}) AS ${name}`).join(", ");
  const same = key.map((name) => `a.${name} = b.${name}`).join(" AND ");
  const sql = `SELECT ${keys}, a.item AS before, b.item AS after
    FROM (SELECT ${key.join(", ")}, items AS item FROM a_${table} items) a
    FULL JOIN (SELECT ${key.join(", ")}, items AS item FROM b_${table} items) b ON ${same}
    WHERE a.item IS DISTINCT FROM b.item ORDER BY ALL`;
  for await (const batch of db.stream(
    sql.replace("ORDER BY ALL", `ORDER BY ${key.join(", ")}`),
    [],
    signal,
  )) {
    const found = batch.map((row): Difference => {
      const name = { kind, key: key.map((column) => row[column]).join("/") };
      if (row.before === null) return { ...name, change: "added" };
      if (row.after === null) return { ...name, change: "removed" };
      const fields = changedFields(read(row.before as TableRow), read(row.after as TableRow), ignore);
      return { ...name, change: "changed", fields };
    });
    const counted = found.filter(({ fields }) => ignore.length === 0 || fields?.length !== 0);
    if (counted.length > 0) yield counted;
  }
}

/** The leaves and lists that differ, by path. An object that one side lacks is one of these, unless something in it is ignored. */
function changedFields(
  before: unknown,
  after: unknown,
  ignore: readonly string[],
  path = "",
): NonNullable<Difference["fields"]> {
  if (ignore.includes(path)) return [];
  const isLookedInto = ignore.some((each) => each.startsWith(`${path}.`));
  const [one, other] = [before, after].map((side) => (side === undefined && isLookedInto ? {} : side));
  if (isObject(one) && isObject(other)) {
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
    return names.flatMap((name) =>
      changedFields(one[name], other[name], ignore, path === "" ? name : `${path}.${name}`),
    );
  }
  if (before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after))
    return [];
  if (before === undefined && after === undefined) return [];
  return [{ path, before: before ?? null, after: after ?? null }];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
