import { clearInterval, setInterval } from "node:timers";
import type { DuckDBConnection } from "@duckdb/node-api";
import { ENGINE_DEFAULTS } from "./defaults.js";

/** Called with the share of a statement that is done, 0 to 1, never less than before. */
export type OnShare = (share: number) => void;

/** Has a connection measure how far its statements are. The engine prints nothing. */
export async function measureShares(connection: DuckDBConnection): Promise<void> {
  for (const setting of ["enable_progress_bar = true", "enable_progress_bar_print = false"])
    await connection.run(`SET ${setting}`);
}

/**
 * Reports from time to time how far the running statement of a connection is, as the share of the rows that it has read, until the returned
 * function is called. Needs {@link measureShares}.
 */
export function watchShare(
  connection: DuckDBConnection,
  onShare: OnShare,
  everyMs: number = ENGINE_DEFAULTS.shareMs,
): () => void {
  let last = 0;
  const timer = setInterval(() => {
    // Negative until the engine knows; 100 where it only closes what it wrote.
    const share = Math.min(100, connection.progress.percentage) / 100;
    if (share > last) onShare(share);
    last = Math.max(last, share);
  }, everyMs);
  return () => clearInterval(timer);
}
