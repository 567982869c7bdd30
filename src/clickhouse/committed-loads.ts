import { randomInt } from "node:crypto";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import type { ClusterLayout } from "./cluster/cluster-layout.js";
import { isVisible, LOAD_COLUMNS } from "./cluster/copies.js";
import type { Connection } from "./connection.js";
import { LoadDigests } from "./load/load-digests-schema.js";
import { RowBinaryWriter } from "./row-binary.js";
import type { WriterLease } from "./writer-lease.js";

/** A load that is complete: its rows count. A removal is one without rows and slices. */
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
  /** Whether it removed anything: that holds in every view at once, older ones as well. */
  readonly removes: boolean;
  /** What its rows were when it was made; none of what has no rows, or was made by an older version. */
  readonly digests: LoadDigests;
}

/** The loads that brought slices. */
export function installsOf(loads: readonly Load[]): Load[] {
  return loads.filter(({ slices }) => slices.length > 0);
}

/** The number of records that loads brought. */
export function recordsOf(loads: readonly Pick<Load, "records">[]): number {
  return loads.reduce((sum, { records }) => sum + records, 0);
}

/** Identifies a state of the removals: loads are only ever added. */
export function removalState(loads: readonly Pick<Load, "id" | "removes">[]): string {
  const removing = loads.filter(({ removes }) => removes);
  return `${removing.length}/${Math.max(0, ...removing.map(({ id }) => id))}`;
}

/** Where servers differ because a writer failed half-way, answers of one after another say the same. */
const ONE_SERVER = "SETTINGS load_balancing = 'in_order'";

/** The state of a lake's removals now, as {@link removalState} writes it. */
export async function readRemovalState(connection: Connection, signal?: AbortSignal): Promise<string> {
  const sql = `SELECT uniqExact(load), max(load) FROM loads WHERE removes ${ONE_SERVER}`;
  const [row] = await connection.rows<[number, number]>(sql, {}, signal);
  return row!.join("/");
}

/**
 * Makes a load visible: one row, which is there or not, on each server that keeps it. It comes to be only while the writer's lease is
 * the newest.
 * @param layout of the lake; undefined for one on one server
 * @throws LakeError `cluster_busy` if the lease was lost, `cluster_*` if it is not on every server: it may be visible then
 */
export async function commitLoad(
  connection: Connection,
  { id, nowMs, model, records, raw, slices, removes, digests }: Load,
  lease: WriterLease,
  layout: ClusterLayout | undefined,
): Promise<void> {
  const row = new RowBinaryWriter().uint64(id).int64(nowMs).text(model).uint32(records).uint32(raw);
  row
    .text(JSON.stringify(slices))
    .uint8(removes ? 1 : 0)
    .text(JSON.stringify(digests));
  await connection.insert("pending_loads", LOAD_COLUMNS, [row.take()]);
  await lease.assertHeld();
  const names = LOAD_COLUMNS.join(", ");
  const committed = () => isVisible(connection, layout, id);
  try {
    await connection.run(
      `INSERT INTO loads (${names}) SELECT ${names} FROM pending_loads WHERE load = ${id} AND ${lease.condition} LIMIT 1`,
      lease.values,
    );
  } catch (error) {
    // An answer that got lost: the row says whether it was done.
    if (!(await committed())) throw error;
  }
  if (!(await committed())) throw lease.lost();
}

/**
 * A number for a load: greater than those of the complete loads, also where this machine's clock is behind theirs, since of what
 * removals changed twice the greater one is shown. Two of one millisecond differ, too.
 * @param nowMs epoch milliseconds
 */
export function newLoadId(nowMs: number, loads: readonly Pick<Load, "id">[]): number {
  const last = loads.reduce((greatest, { id }) => Math.max(greatest, id), 0);
  return nowMs * 1024 > last ? nowMs * 1024 + randomInt(1024) : last + 1 + randomInt(1024 * 1024);
}

/** Reads the complete loads, by id. */
export async function committedLoads(connection: Connection, signal?: AbortSignal): Promise<Load[]> {
  const rows = await connection.rows<[number, number, string, number, number, string, number, string]>(
    `SELECT ${LOAD_COLUMNS.join(", ")} FROM loads ORDER BY load LIMIT 1 BY load ${ONE_SERVER}`,
    {},
    signal,
  );
  return rows.map(([id, nowMs, model, records, raw, slices, removes, digests]) => ({
    id,
    nowMs,
    model,
    records,
    raw,
    slices: JSON.parse(slices) as SliceManifest[],
    removes: removes !== 0,
    digests: digests === "" ? {} : LoadDigests.parse(JSON.parse(digests)),
  }));
}

/** The list of loads as it stands in SQL; `0`, which is no load, where there are none. */
export function loadList(loads: readonly Pick<Load, "id">[]): string {
  return loads.length === 0 ? "0" : loads.map(({ id }) => String(id)).join(", ");
}
