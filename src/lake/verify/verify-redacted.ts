import type { Database } from "../../duckdb/database.js";
import { isRedactionOf } from "../../store/removals/redact.js";

/** Where rows of a table may quote, their columns with samples, and how those are read. */
const QUOTING = {
  records: {
    join: "JOIN removed_quotes quote ON quote.id = kept.id",
    keys: ["id"],
    columns: ["comment_thread", "review_sample"],
    read: (row: readonly unknown[]) => ({ comment_thread: row[0], review_sample: row[1] }),
  },
  raw: {
    join: `JOIN quoted_things thing ON thing.platform = kept.platform AND thing.id = kept.id
      JOIN removed_quotes quote ON quote.id = thing.record`,
    keys: ["platform", "resource", "id"],
    columns: ["data"],
    read: ([data]: readonly unknown[]) => JSON.parse(data as string) as Record<string, unknown>,
  },
} as const;

/**
 * Compares the samples of items that quote what was removed with those of the slices, and yields the key of each item of which more,
 * or something else, is left out than such quotes. How many of them are left out depends on when each item was loaded. Needs
 * `createRemovalTables`, the generation as `corpus`, and a table `files` of paths and roots.
 * @param given SQL of the slices' rows with their `filename`
 */
export async function* findRedactionFaults(
  db: Database,
  table: keyof typeof QUOTING,
  given: string,
  signal?: AbortSignal,
): AsyncGenerator<string, void, void> {
  const { join, keys, columns, read } = QUOTING[table];
  const both = (side: string) => columns.map((name) => `${side}.${name} AS ${side}_${name}`).join(", ");
  const sql = `SELECT ${keys.map((key) => `kept.${key}`).join(", ")}, digests, ${both("was")}, ${both("kept")}
    FROM corpus.${table} kept ${join} JOIN corpus.slices USING (slice) JOIN files USING (root)
    JOIN ${given} was ON ${["was.filename = path", ...keys.map((key) => `was.${key} = kept.${key}`)].join(" AND ")}
    ANTI JOIN removed_${table} gone ON ${keys.map((key) => `gone.${key} = kept.${key}`).join(" AND ")}
    ORDER BY ALL`;
  for await (const batch of db.stream(sql, [], signal)) {
    for (const row of batch) {
      const [was, kept] = ["was", "kept"].map((side) => read(columns.map((name) => row[`${side}_${name}`])));
      if (!isRedactionOf(kept!, was!, new Set(row.digests as string[])))
        yield keys.map((key) => row[key]).join("/");
    }
  }
}
