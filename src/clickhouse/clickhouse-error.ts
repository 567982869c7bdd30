import { LakeError } from "../contract/errors.js";
import { formatDuration } from "../contract/quantity.js";
import { shownClickHouse } from "./clickhouse-address.js";

/** ClickHouse's codes of a user, a password, a database or a right that is wrong. */
const NOT_ALLOWED = new Set(["81", "192", "193", "194", "497", "516"]);
/** How a server tells what went wrong below ClickHouse, mostly in its network or on its disk: an error without a code of the table. */
const BELOW = /^Poco::Exception\. Code: 1000\b/;
/** Codes of a table or a column that is not there. */
const NO_TABLE = new Set(["60", "16", "47"]);

/**
 * Converts an error of the server, or of the way to it, to a LakeError; returns what is one already, and the reason of a signal.
 */
export function clickHouseError(address: string, error: unknown, signal?: AbortSignal): unknown {
  if (error instanceof LakeError) return error;
  if (signal?.aborted) return signal.reason;
  const shown = shownClickHouse(address);
  const code = codeOf(error);
  const why = error instanceof Error ? error.message || code : String(error);
  const options = { value: shown, cause: error };
  if (NOT_ALLOWED.has(code))
    return new LakeError("cluster_not_allowed", `${shown} refuses: ${why}`, {
      ...options,
      remedy: "Check user, password and database, and that the user may do this there.",
    });
  if (NO_TABLE.has(code))
    return new LakeError("cluster_damaged", `${shown} has not all tables of a lake: ${why}`, {
      ...options,
      remedy: "Install the slices again into an empty database.",
    });
  if (/^\d+$/.test(code) || BELOW.test(why))
    return new LakeError("cluster_failed", `${shown} could not do what was asked: ${why}`, {
      ...options,
      remedy: "See the server's log; the code is ClickHouse's.",
    });
  if (why === "Timeout error.")
    return new LakeError("cluster_unreachable", `${shown} was silent for too long`, {
      ...options,
      remedy: "Check that ClickHouse works there; ?timeout=SECONDS after the database gives it longer.",
    });
  return new LakeError("cluster_unreachable", `${shown} cannot be reached: ${why}`, {
    ...options,
    remedy: "Check that ClickHouse runs there, and takes HTTP connections from here.",
  });
}

/**
 * Codes of a way to another server that broke, or of a server that stops: another one may answer what was asked.
 * ClickHouse's names of them are ATTEMPT_TO_READ_AFTER_EOF, DNS_ERROR, NO_FREE_CONNECTION, SOCKET_TIMEOUT, NETWORK_ERROR,
 * ABORTED, ALL_CONNECTION_TRIES_FAILED and ALL_REPLICAS_ARE_STALE.
 */
const OF_ONE_SERVER = new Set(["32", "198", "203", "209", "210", "236", "279", "369"]);

/** Whether another server may answer what this one did not. */
export function mayAnswerElsewhere(error: unknown): boolean {
  if (!(error instanceof LakeError)) return false;
  const { code, cause } = error;
  if (code !== "cluster_failed") return code === "cluster_unreachable";
  return OF_ONE_SERVER.has(codeOf(cause)) || (cause instanceof Error && BELOW.test(cause.message));
}

/** Whether an error says that the server, or another one of its cluster, gave no answer. */
export function gaveNoAnswer(error: unknown): boolean {
  return (
    error instanceof LakeError && (error.code === "cluster_unreachable" || error.code === "cluster_failed")
  );
}

/** From this pause of a reader on, in milliseconds, it may be why an answer broke off. */
const LONG_PAUSE_MS = 1_000;

/**
 * Says of an answer that broke off, after its reader had taken nothing for some time, that this may be why; returns any other error
 * unchanged.
 * @param longestPauseMs milliseconds in which the reader took nothing
 */
export function brokenOff(error: unknown, address: string, longestPauseMs: number): unknown {
  if (!(error instanceof LakeError) || error.code !== "cluster_unreachable" || longestPauseMs < LONG_PAUSE_MS)
    return error;
  const shown = shownClickHouse(address);
  const pause = formatDuration(longestPauseMs);
  return new LakeError(
    "cluster_unreachable",
    `The answer of ${shown} broke off after no row was taken for ${pause}`,
    {
      value: shown,
      cause: error,
      remedy:
        "Take all rows without long pauses, or write them to a file first: ClickHouse ends an answer that nothing is taken of for `http_send_timeout` of its default profile, 30 seconds unless it says more. If it was not that, check that ClickHouse works there.",
    },
  );
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
}
