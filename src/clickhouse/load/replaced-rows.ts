import { type Load, loadList } from "../committed-loads.js";
import type { Connection } from "../connection.js";
import { clusterUnsupported } from "../unsupported.js";

/** Keys by which one item replaces another, by kind: the name of its table and what its rows are hidden as. */
const KINDS = { records: "id", raw: "platform, resource, id" } as const;

/**
 * Hides what a new load replaces, and what of it is older than what the lake has: of the items with one key the latest capture
 * wins, then the greater content hash, then the greater root of a slice, as in a lake on disk. What is hidden counts from the
 * moment that the load is complete.
 */
export async function hideReplaced(
  connection: Connection,
  loads: readonly Load[],
  load: number,
  signal?: AbortSignal,
): Promise<{ readonly records: number; readonly raw: number }> {
  if (loads.length === 0) return { records: 0, raw: 0 };
  const hide = async (table: keyof typeof KINDS) => {
    const key = KINDS[table];
    await connection.run(
      `INSERT INTO hidden (kind, load, ordinal, by) SELECT '${table}', load, ordinal, ${load} FROM (
        SELECT load, ordinal, row_number() OVER (PARTITION BY ${key} ORDER BY captured_ms DESC, content DESC, root DESC) AS place
        FROM ${table} WHERE load IN (${loadList(loads)}, ${load}) AND (${key}) GLOBAL IN (SELECT ${key} FROM ${table} WHERE load = ${load})
          AND (load, ordinal) GLOBAL NOT IN (SELECT load, ordinal FROM hidden WHERE kind = '${table}' AND by IN (${loadList(loads)}))
      ) WHERE place > 1`,
      {},
      signal,
    );
    const [counted] = await connection.rows<[number]>(
      `SELECT count() FROM hidden WHERE kind = '${table}' AND by = ${load} AND removed = 0`,
    );
    return counted![0];
  };
  return { records: await hide("records"), raw: await hide("raw") };
}

/**
 * Refuses a load whose price points belong to records of other loads, or its records to others' price points: changes of prices
 * are derived when records are loaded, so these would be wrong.
 * @throws LakeError `cluster_unsupported`
 */
export async function refusePricesApart(
  connection: Connection,
  loads: readonly Load[],
  load: number,
  signal?: AbortSignal,
): Promise<void> {
  if (loads.length === 0) return;
  const [own, others] = [String(load), loadList(loads)];
  const products = (of: string) =>
    `SELECT platform, assumeNotNull(parent) FROM raw WHERE load IN (${of}) AND resource = 'price' AND parent IS NOT NULL`;
  const count = (records: string, points: string) =>
    `(SELECT count() FROM records WHERE load IN (${records})
      AND (platform, arrayStringConcat(arraySlice(splitByChar('_', id), 3), '_')) GLOBAL IN (${products(points)}))`;
  const [apart] = await connection.rows<[number]>(
    `SELECT ${count(others, own)} + ${count(own, others)}`,
    {},
    signal,
  );
  if (apart![0] === 0) return;
  throw clusterUnsupported(
    "Price points of records that another install brought",
    apart![0],
    "Install the slices of prices and of their products together, into an empty database.",
  );
}
