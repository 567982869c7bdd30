import type { SqlValue } from "../../duckdb/database.js";
import { type AskedCaptures, newestTrue } from "../as-of.js";
import { notRemoved } from "../raw-filter.js";

/** What answers queries of a generation's tables. */
interface Tables {
  rows<T extends Record<string, unknown>>(sql: string, params?: readonly SqlValue[]): Promise<T[]>;
}

/**
 * The newest capture of a generation's raw items that is no mistake, in epoch milliseconds; 0 without raw items.
 * @param nowMs the clock's time when they were installed
 */
export function rawAsOf(db: Tables, nowMs: number): Promise<number> {
  return newestTrue(capturesOf(db, []), nowMs);
}

/**
 * The newest capture of the raw items that are left after removals and not later than `limitMs`; where there is none, the newest
 * that is left.
 */
export async function rawAsOfAmong(db: Tables, removed: readonly number[], limitMs: number): Promise<number> {
  const { until } = capturesOf(db, removed);
  const { newest } = await until(limitMs);
  return newest > 0 ? newest : (await until(Number.MAX_SAFE_INTEGER)).newest;
}

function capturesOf(db: Tables, removed: readonly number[]): AskedCaptures {
  const [condition, ...params] = removed.length === 0 ? ["true"] : notRemoved(removed);
  return {
    until: async (limitMs) => {
      const [row] = await db.rows<{ count: number; later: number; newest: number | null }>(
        `SELECT count(*) AS count, count_if(captured_ms > ?) AS later,
          max(captured_ms) FILTER (captured_ms <= ?) AS newest FROM raw WHERE ${condition}`,
        [limitMs, limitMs, ...params],
      );
      const { count, later, newest } = row!;
      return { count, later, newest: newest ?? 0 };
    },
    median: async () => {
      const [row] = await db.rows<{ median: number }>(
        `SELECT quantile_disc(captured_ms, 0.5) AS median FROM raw WHERE ${condition}`,
        params,
      );
      return row!.median;
    },
  };
}
