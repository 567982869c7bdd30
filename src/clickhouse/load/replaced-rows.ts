import { installsOf, type Load, loadList } from "../committed-loads.js";
import type { Connection } from "../connection.js";
import { hiddenRows, replacedRows } from "../query/hidden-rows.js";
import { countingLoads, ofCountingSlices, rootList, supersededRoots } from "../superseded.js";

/** Keys by which one item replaces another, by kind: the name of its table and what its rows are hidden as. */
const KINDS = { records: "id", raw: "platform, resource, id" } as const;

/** Numbers of items of each kind. */
export interface Counts {
  readonly records: number;
  readonly raw: number;
}

const NONE: Counts = { records: 0, raw: 0 };

/** What a new load changed. */
export interface Replaced {
  /** Rows of earlier loads that it replaced. */
  readonly replaced: Counts;
  /** Its own rows that are not shown: others are newer. */
  readonly outdated: Counts;
}

/** Loads before a new one, and with it. */
export interface LoadChange {
  readonly before: readonly Load[];
  readonly made: Load;
  /** Whether the new load has several editions of an item. */
  readonly repeats: boolean;
}

/** The roots of slices that a new load supersedes; those of its own are not among them. */
export function newlySuperseded({ before, made }: Pick<LoadChange, "before" | "made">): string[] {
  const known = supersededRoots(before);
  return [...supersededRoots([...before, made])].filter((root) => !known.has(root));
}

/**
 * Hides what a new load replaces, and what of it is older than what the lake has: of the items with one key the latest capture
 * wins, then the greater content hash, then the greater root of a slice, as in a lake on disk. Where it supersedes slices, their rows
 * are hidden, and what they had replaced is shown again. All of it counts from the moment that the load is complete.
 */
export async function hideReplaced(
  connection: Connection,
  change: LoadChange,
  signal?: AbortSignal,
): Promise<Replaced> {
  const { before, made, repeats } = change;
  if (installsOf(before).length === 0 && !repeats) return { replaced: NONE, outdated: NONE };
  const counting = ofCountingSlices([...before, made]);
  const superseded = newlySuperseded(change);
  const gone = `root IN (${rootList(superseded)})`;
  const turned = (table: keyof typeof KINDS): string[] => {
    const key = KINDS[table];
    const replaced = replacedRows(table, before);
    const touched = [
      `SELECT ${key} FROM ${table} WHERE load = ${made.id}`,
      ...(superseded.length === 0
        ? []
        : [`SELECT ${key} FROM ${table} WHERE load IN (${loadList(before)}) AND ${gone}`]),
    ];
    return [
      `SELECT '${table}', load, ordinal, ${made.id} FROM (
        SELECT load, ordinal, (load, ordinal) GLOBAL IN (${replaced}) AS was,
          row_number() OVER (PARTITION BY ${key} ORDER BY captured_ms DESC, content DESC, root DESC) > 1 AS now
        FROM ${table} WHERE ${counting} AND (${key}) GLOBAL IN (${touched.join(" UNION ALL ")})
      ) WHERE was != now`,
      // Of loads whose slices are all superseded no row is asked for any more.
      ...(superseded.length === 0
        ? []
        : [
            `SELECT '${table}', load, ordinal, ${made.id} FROM ${table}
              WHERE load IN (${loadList(countingLoads([...before, made]))}) AND ${gone} AND (load, ordinal) GLOBAL NOT IN (${replaced})`,
          ]),
    ];
  };
  await connection.run(
    `INSERT INTO hidden (kind, load, ordinal, by) ${[...turned("records"), ...turned("raw")].join(" UNION ALL ")}`,
    {},
    signal,
  );
  const counted = (table: keyof typeof KINDS) =>
    `SELECT '${table}', countIf(load != ${made.id}), countIf(load = ${made.id}) FROM hidden
      WHERE kind = '${table}' AND by = ${made.id} AND removed = 0 AND (load, ordinal) GLOBAL NOT IN (${hiddenRows(table, before)})`;
  const rows = await connection.rows<[string, number, number]>(
    `${counted("records")} UNION ALL ${counted("raw")}`,
  );
  const of = new Map(rows.map(([table, replaced, outdated]) => [table, { replaced, outdated }]));
  const [records, raw] = [of.get("records")!, of.get("raw")!];
  return {
    replaced: { records: records.replaced, raw: raw.replaced },
    outdated: { records: records.outdated, raw: raw.outdated },
  };
}
