import { foldName } from "../duckdb/fold-name.js";

/** Functions that expose the machine, the settings or the session, wait, keep state, or run text as SQL. */
const NAMES = new Set([
  "add_parquet_key",
  "copy_database",
  "create_sort_key",
  "current_connection_id",
  "current_query",
  "current_query_id",
  "current_setting",
  "current_transaction_id",
  "currval",
  "extension_versions",
  "force_checkpoint",
  "get_block_size",
  "getenv",
  "getvariable",
  "glob",
  "in_search_path",
  "json_deserialize_sql",
  "json_execute_serialized_sql",
  "json_serialize_plan",
  "json_serialize_sql",
  "mirrorlake_vector",
  "nextval",
  "parse_duckdb_log_message",
  "query",
  "query_table",
  "setseed",
  "sleep_ms",
  "sniff_csv",
  "stats",
  "txid_current",
  "variant_bytes_to_variant",
  "variant_to_parquet_variant",
  "vector_type",
  "which_secret",
  "write_log",
]);

const PREFIXES = [
  "__",
  "arrow_scan",
  "col_description",
  "duckdb_",
  "has_",
  "inet_",
  "obj_description",
  "parquet_",
  "pg_",
  "pragma_",
  "read_",
  "shobj_description",
  "st_",
];

const PURE_EXCEPTIONS = new Set(["pg_typeof"]);

/** Table functions that depend on their arguments alone. */
const TABLE_FUNCTIONS = new Set(["generate_series", "json_each", "json_tree", "range", "repeat", "unnest"]);

/** Whether queries may call a scalar function. */
export function mayCall(name: string): boolean {
  const lower = foldName(name);
  if (PURE_EXCEPTIONS.has(lower)) return true;
  return !NAMES.has(lower) && !PREFIXES.some((prefix) => lower.startsWith(prefix));
}

/** Whether queries may use a table function. */
export function mayScan(name: string): boolean {
  return TABLE_FUNCTIONS.has(foldName(name));
}
