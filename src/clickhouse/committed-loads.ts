import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import type { Connection } from "./connection.js";

/** A load that is complete: its rows count. */
export interface Load {
  /** Ascending from the first to the last load. */
  readonly id: number;
  /** The clock of the install, epoch milliseconds. */
  readonly nowMs: number;
  /** Id of the fitted embedder whose vectors it has. */
  readonly model: string;
  /** Numbers of its rows. */
  readonly records: number;
  readonly raw: number;
  readonly slices: readonly SliceManifest[];
}

/** Reads the complete loads, by id. */
export async function committedLoads(connection: Connection, signal?: AbortSignal): Promise<Load[]> {
  const rows = await connection.rows<[number, number, string, number, number, string]>(
    "SELECT load, now_ms, model, records, raw, slices FROM loads ORDER BY load",
    {},
    signal,
  );
  return rows.map(([id, nowMs, model, records, raw, slices]) => ({
    id,
    nowMs,
    model,
    records,
    raw,
    slices: JSON.parse(slices) as SliceManifest[],
  }));
}

/** The list of loads as it stands in SQL; `0`, which is no load, where there are none. */
export function loadList(loads: readonly Pick<Load, "id">[]): string {
  return loads.length === 0 ? "0" : loads.map(({ id }) => String(id)).join(", ");
}
