import { loadList } from "../committed-loads.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { replacedRows } from "../query/hidden-rows.js";
import { countingLoads } from "../superseded.js";
import { gone, type RemovalWork } from "./derive-keys.js";

/** Items that are removed, of each kind, and those that are shown otherwise; without editions that others replaced. */
export interface Hidden {
  readonly records: number;
  readonly raw: number;
  readonly redacted: number;
}

/** Hides the rows of removed keys in every load. They count from the moment that the change does. */
export async function hideRemoved(work: RemovalWork): Promise<void> {
  const { connection, loads, by, signal } = work;
  // Rows of earlier keys are hidden already, but those that the change brings.
  const some = loads.some(({ id }) => id === by) ? "1" : `by = ${by}`;
  const rows = (table: "records" | "raw", kind: "record" | "raw", key: string) =>
    `SELECT '${table}' AS of, load, ordinal FROM ${table}
      WHERE load IN (${loadList(loads)}) AND (${key}) GLOBAL IN (${gone(work, kind, key, some)}) AND (load, ordinal) GLOBAL NOT IN
        (SELECT load, ordinal FROM hidden WHERE kind = '${table}' AND removed = 1 AND by IN (${loadList(loads)}))`;
  await connection.run(
    `INSERT INTO hidden (kind, load, ordinal, by, removed) SELECT of, load, ordinal, ${by}, 1 FROM (
      ${rows("records", "record", "id")} UNION ALL ${rows("raw", "raw", "platform, resource, id")})`,
    {},
    signal,
  );
}

/** Whether a change removed any rows. */
export async function hidesAnything({ connection, by }: RemovalWork): Promise<boolean> {
  const [row] = await connection.rows<[number]>(
    `SELECT count() FROM hidden WHERE by = ${by} AND removed = 1`,
  );
  return row![0] > 0;
}

/** Counts what all removals hide, with those of the change. */
export async function countHidden({ connection, version, loads, by }: RemovalWork): Promise<Hidden> {
  // A price that is another without what was removed is no redaction, as in a folder; older tables cannot tell.
  const quoting = version < CLICKHOUSE_DEFAULTS.pricesVersion ? "1" : "quotes = 1";
  const counts = `${loadList(loads)}, ${by}`;
  const counting = (kind: "records" | "raw") =>
    `kind = '${kind}' AND load IN (${loadList(countingLoads(loads))}) AND (load, ordinal) GLOBAL NOT IN (${replacedRows(kind, loads)})`;
  const removed = (kind: "records" | "raw") =>
    `SELECT '${kind}', uniqExact(load, ordinal) FROM hidden WHERE removed = 1 AND by IN (${counts}) AND ${counting(kind)}`;
  const redacted = (kind: "records" | "raw") =>
    `SELECT 'redacted ${kind}', uniqExact(load, ordinal) FROM redactions WHERE ${quoting} AND by IN (${counts}) AND ${counting(kind)}
      AND (load, ordinal) GLOBAL NOT IN (SELECT load, ordinal FROM hidden WHERE kind = '${kind}' AND removed = 1 AND by IN (${counts}))`;
  const rows = await connection.rows<[string, number]>(
    [removed("records"), removed("raw"), redacted("records"), redacted("raw")].join(" UNION ALL "),
  );
  const found = new Map(rows);
  return {
    records: found.get("records") ?? 0,
    raw: found.get("raw") ?? 0,
    redacted: (found.get("redacted records") ?? 0) + (found.get("redacted raw") ?? 0),
  };
}
