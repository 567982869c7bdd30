import { loadList } from "../committed-loads.js";
import { gone, type RemovalWork } from "./derive-keys.js";

/** Distinct items that are removed, of each kind, and those that are shown otherwise. */
export interface Hidden {
  readonly records: number;
  readonly raw: number;
  readonly redacted: number;
}

/** Hides the rows of removed keys in every load. They count from the moment that the change does. */
export async function hideRemoved(work: RemovalWork): Promise<void> {
  const { connection, loads, by, signal } = work;
  for (const [table, kind, key] of [
    ["records", "record", "id"],
    ["raw", "raw", "platform, resource, id"],
  ] as const)
    await connection.run(
      `INSERT INTO hidden (kind, load, ordinal, by, removed) SELECT '${table}', load, ordinal, ${by}, 1 FROM ${table}
        WHERE load IN (${loadList(loads)}) AND (${key}) GLOBAL IN (${gone(work, kind, key)}) AND (load, ordinal) GLOBAL NOT IN
          (SELECT load, ordinal FROM hidden WHERE kind = '${table}' AND removed = 1 AND by IN (${loadList(loads)}))`,
      {},
      signal,
    );
}

/** Whether a change hid or redacted anything. */
export async function changesAnything({ connection, by }: RemovalWork): Promise<boolean> {
  const [row] = await connection.rows<[number]>(
    `SELECT (SELECT count() FROM hidden WHERE by = ${by} AND removed = 1) + (SELECT count() FROM redactions WHERE by = ${by})`,
  );
  return row![0] > 0;
}

/** Counts what all removals hide, with those of the change. */
export async function countHidden({ connection, loads, by }: RemovalWork): Promise<Hidden> {
  const counts = loadList(loads);
  const rows = await connection.rows<[string, number]>(
    `SELECT kind, uniqExact(load, ordinal) FROM hidden WHERE removed = 1 AND by IN (${counts}, ${by}) GROUP BY kind
      UNION ALL SELECT 'redacted', uniqExact(kind, load, ordinal) FROM redactions WHERE by IN (${counts}, ${by})
        AND (kind, load, ordinal) GLOBAL NOT IN (SELECT kind, load, ordinal FROM hidden WHERE removed = 1 AND by IN (${counts}, ${by}))`,
  );
  const found = new Map(rows);
  return {
    records: found.get("records") ?? 0,
    raw: found.get("raw") ?? 0,
    redacted: found.get("redacted") ?? 0,
  };
}
