import { CLICKHOUSE_DEFAULTS } from "./defaults.js";

/** What holds whatever the profile of the user says: an answer is whole, or it is an error. */
export const WHOLE_ANSWERS = {
  skip_unavailable_shards: 0,
  limit: "0",
  offset: "0",
  read_overflow_mode: "throw",
  read_overflow_mode_leaf: "throw",
  group_by_overflow_mode: "throw",
  sort_overflow_mode: "throw",
  result_overflow_mode: "throw",
  timeout_overflow_mode: "throw",
  timeout_overflow_mode_leaf: "throw",
  set_overflow_mode: "throw",
  join_overflow_mode: "throw",
  transfer_overflow_mode: "throw",
  distinct_overflow_mode: "throw",
} as const;

/** What is special to requests that load: what they write is on its shards before it counts, each row on the one that is its own. */
const LOADS = { distributed_foreground_insert: 1, parallel_distributed_insert_select: "0" } as const;

/**
 * Settings that go with each request, to the server and from it to the others of its cluster.
 * @param silentMs longest silence
 * @param copies servers that have to have what is inserted into `Replicated` tables; tables without Keeper are inserted into one by one
 */
export function requestSettings(silentMs: number, loads: boolean, copies = 1) {
  const seconds = Math.ceil(silentMs / 1000);
  const connectMs = Math.min(CLICKHOUSE_DEFAULTS.connectMs, silentMs);
  return {
    output_format_json_quote_64bit_integers: 0,
    output_format_json_quote_denormals: 0,
    ...WHOLE_ANSWERS,
    max_query_size: String(CLICKHOUSE_DEFAULTS.statementBytes),
    receive_timeout: seconds,
    send_timeout: seconds,
    handshake_timeout_ms: connectMs,
    connect_timeout_with_failover_ms: connectMs,
    // A sign of life while it works: what is silent for longer does not work any more.
    ...(loads
      ? {
          ...LOADS,
          insert_quorum: String(copies > 1 ? copies : 0),
          send_progress_in_http_headers: 1 as const,
          http_headers_progress_interval_ms: String(Math.ceil(silentMs / 4)),
        }
      : {}),
  } as const;
}
