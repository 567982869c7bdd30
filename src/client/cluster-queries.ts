import { clusterUnsupported } from "../clickhouse/unsupported.js";
import type { LakeQueries } from "./lake-queries.js";

/** The queries that a lake on ClickHouse does not have yet: each says so. @param lake the address, without its password */
export function clusterQueries(lake: string): LakeQueries {
  const remedy = "Use a lake in a folder, or query the tables in ClickHouse.";
  const refused = (what: string) => () => {
    throw clusterUnsupported(what, lake, remedy);
  };
  const refusedStream = (what: string) =>
    // biome-ignore lint/correctness/useYield: the stream ends with the error when its first item is asked for
    async function* (): AsyncGenerator<never, void, void> {
      throw clusterUnsupported(what, lake, remedy);
    };
  const sql = (_text: string, _params?: unknown, options?: { readonly as?: string }) =>
    options?.as === "batches"
      ? refusedStream("SQL queries")()
      : Promise.reject(clusterUnsupported("SQL queries", lake, remedy));
  return {
    sql: sql as LakeQueries["sql"],
    sqlStream: refusedStream("SQL queries") as LakeQueries["sqlStream"],
    arrow: refusedStream("Arrow batches"),
    export: async () => refused("Exports")(),
  };
}
