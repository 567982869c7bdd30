import { LakeError } from "../../contract/errors.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { shownClickHouse } from "../clickhouse-address.js";
import { levelLoads } from "../cluster/copies.js";
import {
  commitLoad,
  committedLoads,
  installsOf,
  type Load,
  loadList,
  recordsOf,
} from "../committed-loads.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { deriveKeys } from "../removals/derive-keys.js";
import { hideRemoved, hidesAnything } from "../removals/hide-removed.js";
import { redactRows } from "../removals/redact-rows.js";
import { refuseOlder, schemaVersion } from "../schema.js";
import { countingLoads, supersededRoots } from "../superseded.js";
import { clusterUnsupported } from "../unsupported.js";
import { WriterLease } from "../writer-lease.js";
import { freshOf, rootOf } from "./fresh-slices.js";
import { indexVectors } from "./index-vectors.js";
import { hideReplaced, type LoadChange, newlySuperseded, type Replaced } from "./replaced-rows.js";

/**
 * Makes the rows of a load visible, in turn with other writers: what it replaces or supersedes, and what was removed of it, is hidden
 * first.
 */
export async function publishLoad(
  connection: Connection,
  slices: readonly SourceSlice[],
  { made, repeats }: Omit<LoadChange, "before">,
  state: { committing: boolean },
  signal: AbortSignal | undefined,
): Promise<Replaced> {
  const lease = await WriterLease.take(connection, signal);
  try {
    await levelLoads(connection, lease);
    const loads = await committedLoads(connection, signal);
    refuseMeanwhile(connection, slices, made, installsOf(loads));
    const change = { before: loads, made, repeats };
    if (newlySuperseded(change).length > 0) await refuseLost(connection, change);
    const replaced = await hideReplaced(connection, change, signal);
    const removes = await showOtherwise(connection, change, signal);
    const all = countingLoads([...installsOf(loads), made]);
    await indexVectors(connection, all, recordsOf(all));
    signal?.throwIfAborted();
    state.committing = true;
    await commitLoad(connection, { ...made, removes }, lease);
    return replaced;
  } finally {
    await lease.release();
  }
}

/** Refuses a load where another install brought its slices, or fitted another embedder, while it was prepared. */
function refuseMeanwhile(
  connection: Connection,
  slices: readonly SourceSlice[],
  { model }: Pick<Load, "model">,
  installs: readonly Load[],
): void {
  const held = installs.flatMap((load) => load.slices);
  const isSame = installs.length === 0 || installs.at(-1)!.model === model;
  if (isSame && freshOf(slices, held).length === slices.length) return;
  const shown = shownClickHouse(connection.address);
  const what = isSame ? "brought some of these slices" : "fitted the embedder";
  throw new LakeError("cluster_busy", `Another install ${what} meanwhile on ${shown}`, {
    value: shown,
    remedy: "Run it again: what is installed already is left out.",
  });
}

/**
 * Applies earlier removals to a load, and what follows from them with it, and stores what items are shown as with the price points of all
 * loads. Returns whether it removes anything.
 */
async function showOtherwise(
  connection: Connection,
  { before, made, repeats }: LoadChange,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const removed = before.some(({ removes }) => removes);
  // What is alone in its lake is as it was prepared.
  if (!removed && !repeats && installsOf(before).length === 0) return false;
  const loads = [...before, made];
  const work = { connection, loads, by: made.id, atMs: made.nowMs, reason: "installed later", signal };
  if (removed) await deriveKeys(work);
  if (removed) await hideRemoved(work);
  const quoting = await redactRows(work);
  await refuseOvertaken(connection, before, made);
  return quoting > 0 || (await hidesAnything(work));
}

/**
 * Refuses a load that shows an item otherwise which a removal shows otherwise, too, that came while the load was prepared: in tables of
 * before version 7 the greater number is shown, which is the removal's, without what this load brings.
 */
async function refuseOvertaken(connection: Connection, loads: readonly Load[], { id }: Load): Promise<void> {
  const later = loads.filter((load) => load.removes && load.id > id);
  if (later.length === 0) return;
  if ((await schemaVersion(connection))! >= CLICKHOUSE_DEFAULTS.pricesVersion) return;
  const [overtaken] = await connection.rows<[number]>(
    `SELECT count() FROM redactions WHERE by = ${id}
      AND (kind, load, ordinal) GLOBAL IN (SELECT kind, load, ordinal FROM redactions WHERE by IN (${loadList(later)}))`,
  );
  if (overtaken![0] === 0) return;
  throw new LakeError("cluster_busy", "Something that these slices quote was removed meanwhile", {
    value: shownClickHouse(connection.address),
    remedy: "Run it again: nothing of this install is visible.",
  });
}

/**
 * Refuses to supersede a slice whose editions may have replaced others that are not there: versions before 6 did not send what lost to
 * another slice of the same install, and so does a first install with an embedder that is fitted.
 */
async function refuseLost(connection: Connection, { before, made }: LoadChange): Promise<void> {
  refuseOlder(await schemaVersion(connection), CLICKHOUSE_DEFAULTS.revisionVersion);
  const superseded = supersededRoots([...before, made]);
  const lost = countingLoads([...before, made]).find(({ slices, records, raw }) => {
    const counts = slices.map(({ mirrorlake }) => mirrorlake.counts);
    const all = counts.reduce((sum, each) => sum + each.records + each.raw, 0);
    return all !== records + raw && slices.some((slice) => superseded.has(rootOf(slice)));
  });
  if (lost === undefined) return;
  throw clusterUnsupported(
    "Revisions of slices of an install that left out what they replaced",
    lost.id,
    "Install the slices with their revisions into an empty database.",
  );
}
