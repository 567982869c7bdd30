import { RowSet } from "../../contract/lake/row-set.js";
import type { Database } from "../../duckdb/database.js";
import type { ColumnValues } from "../filter-columns.js";
import type { RowRange } from "../rows/written-records.js";
import type { BaseGeneration } from "./base-generation.js";
import type { GenerationManifest } from "./generation-manifest.js";
import { goneTable, type ItemKind, RAW, RECORDS } from "./item-kinds.js";
import type { PricedProduct, SourceSlice } from "./load-tables.js";
import { segmentRows } from "./segment-rows.js";

/** Slices that go from a generation that is extended, since others supersede them. */
export interface Superseded {
  readonly roots: ReadonlySet<string>;
  /** Slices that stay and have other editions of what is shown of these, which may be shown again. */
  readonly holders: readonly SourceSlice[];
}

/** What is left of a generation without some slices. */
export interface Withdrawal {
  /** The generation, without their rows, and without segments of which nothing is shown then. */
  readonly base: BaseGeneration;
  /** Where the records of these segments were. */
  readonly dropped: readonly RowRange[];
  /** Products of the price points that went. */
  readonly products: readonly PricedProduct[];
}

/**
 * Withdraws slices from the tables of a generation that is extended. Their rows stay in the row stores of segments that have others, and
 * are shown no more; what they were is in the tables {@link goneTable}.
 * @param numbers the roots of the slices that the new generation has, by number
 */
export async function withdrawSlices(
  db: Database,
  base: BaseGeneration,
  roots: ReadonlySet<string>,
  numbers: readonly string[],
): Promise<Withdrawal> {
  const { manifest, live, columns, changes } = base;
  const going = manifest.slices.flatMap((root, number) => (roots.has(root) ? [number] : []));
  const left = {
    records: live.records.minus(await withdraw(db, RECORDS, live.records.size, going)),
    raw: live.raw.minus(await withdraw(db, RAW, live.raw.size, going)),
  };
  const products = await db.rows<PricedProduct>(
    `SELECT DISTINCT platform, parent FROM ${goneTable("raw")} WHERE resource = 'price' AND parent IS NOT NULL`,
  );
  await renumberSlices(db, manifest.slices, numbers, going);
  const segments = segmentRows(manifest, left);
  const staying = segments.filter(({ shown }) => shown.records + shown.raw > 0);
  const rows = { records: staying.map((segment) => segment.records), raw: staying.map(({ raw }) => raw) };
  const isWhole = staying.length === segments.length;
  if (!isWhole) for (const { table } of [RECORDS, RAW]) await closeGaps(db, table, rows[table]);
  const names = new Set(staying.map(({ name }) => name));
  const firsts = new Map(segments.map(({ name, raw }) => [name, raw.first]));
  const shift = shifts(rows.records);
  return {
    base: {
      ...base,
      manifest: {
        ...manifest,
        segments: placedAs(
          manifest.segments.filter(({ name }) => names.has(name)),
          (name) => firsts.get(name)!,
        ),
      },
      live: isWhole
        ? left
        : { records: withoutGaps(left.records, rows.records), raw: withoutGaps(left.raw, rows.raw) },
      columns: isWhole ? columns : columnsOf(columns, rows.records),
      changes: changes.flatMap((change) =>
        left.records.has(change.row) ? [{ ...change, row: change.row - shift(change.row) }] : [],
      ),
    },
    dropped: segments.filter(({ name }) => !names.has(name)).map((segment) => segment.records),
    products,
  };
}

/** Segments that follow each other, with what was the row of their first raw item where that is another now. */
function placedAs(
  segments: GenerationManifest["segments"],
  firstOf: (name: string) => number,
): GenerationManifest["segments"] {
  let next = 0;
  return segments.map(({ name, records, raw, groupsFrom = firstOf(name) }) => {
    const first = next;
    next += raw;
    return groupsFrom === first ? { name, records, raw } : { name, records, raw, groupsFrom };
  });
}

/** Drops the tables {@link goneTable}. */
export async function dropGoneTables(db: Database): Promise<void> {
  for (const { table } of [RECORDS, RAW]) await db.run(`DROP TABLE ${goneTable(table)}`);
}

/** Deletes the rows of slices from a table; returns them. */
async function withdraw(
  db: Database,
  { table, key }: ItemKind,
  rows: number,
  going: readonly number[],
): Promise<RowSet> {
  const more = table === "raw" ? ", parent" : "";
  await db.run(
    `CREATE TEMP TABLE ${goneTable(table)} AS
      SELECT "row", ${key.join(", ")}${more} FROM ${table} WHERE slice IN (SELECT unnest(?::INTEGER[]))`,
    [going],
  );
  await db.run(`DELETE FROM ${table} WHERE slice IN (SELECT unnest(?::INTEGER[]))`, [going]);
  const found = await db.rows<{ row: number }>(`SELECT "row" FROM ${goneTable(table)}`);
  return RowSet.of(
    rows,
    found.map(({ row }) => row),
  );
}

/** Gives slices that stay the numbers that they have then. */
async function renumberSlices(
  db: Database,
  before: readonly string[],
  after: readonly string[],
  going: readonly number[],
): Promise<void> {
  await db.run("DELETE FROM slices WHERE slice IN (SELECT unnest(?::INTEGER[]))", [going]);
  const gone = new Set(going);
  for (const [number, root] of before.entries()) {
    const now = after.indexOf(root);
    if (gone.has(number) || now === number) continue;
    for (const table of ["slices", "records", "raw"])
      await db.run(`UPDATE ${table} SET slice = ? WHERE slice = ?`, [now, number]);
  }
}

/** Numbers the rows of a table so that those of some ranges follow each other; the others are gone. */
async function closeGaps(db: Database, table: string, ranges: readonly RowRange[]): Promise<void> {
  let next = 0;
  for (const { first, count } of ranges) {
    if (first !== next && count > 0)
      await db.run(`UPDATE ${table} SET "row" = "row" - ? WHERE "row" >= ? AND "row" < ?`, [
        first - next,
        first,
        first + count,
      ]);
    next += count;
  }
}

/** By how much the row of each of some ranges moves where they follow each other. */
function shifts(ranges: readonly RowRange[]): (row: number) => number {
  const moves: { readonly first: number; readonly by: number }[] = [];
  let next = 0;
  for (const { first, count } of ranges) {
    moves.push({ first, by: first - next });
    next += count;
  }
  return (row) => moves.findLast(({ first }) => first <= row)?.by ?? 0;
}

function withoutGaps(rows: RowSet, ranges: readonly RowRange[]): RowSet {
  const size = ranges.reduce((sum, { count }) => sum + count, 0);
  const found: number[] = [];
  let next = 0;
  for (const { first, count } of ranges) {
    for (let row = first; row < first + count; row++) if (rows.has(row)) found.push(row - first + next);
    next += count;
  }
  return RowSet.of(size, found);
}

function columnsOf(columns: ColumnValues, ranges: readonly RowRange[]): ColumnValues {
  const size = ranges.reduce((sum, { count }) => sum + count, 0);
  const of = <T extends Uint16Array | Float64Array>(values: T, made: T): T => {
    let next = 0;
    for (const { first, count } of ranges) {
      made.set(values.subarray(first, first + count), next);
      next += count;
    }
    return made;
  };
  return {
    ...columns,
    platform: of(columns.platform, new Uint16Array(size)),
    lang: of(columns.lang, new Uint16Array(size)),
    capturedMs: of(columns.capturedMs, new Float64Array(size)),
  };
}
