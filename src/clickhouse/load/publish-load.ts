import { LakeError } from "../../contract/errors.js";
import type { Rebuild } from "../../lake/install/rebuild.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { shownClickHouse } from "../clickhouse-address.js";
import type { ClusterLayout } from "../cluster/cluster-layout.js";
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
import { type CurrentFit, type Fit, readFit, writeFit } from "../fit.js";
import { deriveKeys } from "../removals/derive-keys.js";
import { findAnsweredHashes } from "../removals/find-answered-hashes.js";
import { hideRemoved, hidesAnything } from "../removals/hide-removed.js";
import { redactRows } from "../removals/redact-rows.js";
import { knownTables } from "../schema/found-tables.js";
import { refuseOlder } from "../schema/schema-version.js";
import { countingLoads, supersededRoots } from "../superseded.js";
import { clusterUnsupported } from "../unsupported.js";
import { WriterLease } from "../writer-lease.js";
import { Fitting } from "./fitting.js";
import { freshOf, rootOf } from "./fresh-slices.js";
import { indexVectors } from "./index-vectors.js";
import { liveContent } from "./live-documents.js";
import { withRefitted } from "./load-digests.js";
import { type FitPlan, planFit } from "./plan-fit.js";
import { type FitOptions, hasVectors } from "./refit.js";
import { hideReplaced, type LoadChange, newlySuperseded, type Replaced } from "./replaced-rows.js";
import { dropChanges } from "./send-rows.js";

/** A load that is to be made visible. */
export interface Publication extends Omit<LoadChange, "before"> {
  readonly slices: readonly SourceSlice[];
  /** The fit by which its vectors were made; undefined where there was none. */
  readonly staged: Fit | undefined;
}

/** What making a load visible did. */
export interface Published extends Replaced {
  /** The refit of the embedder as it was announced; undefined where there was none. */
  readonly rebuild: Rebuild | undefined;
}

/** What a load changes among the loads before it. */
interface Change extends LoadChange {
  readonly replaced: Replaced;
  readonly removes: boolean;
  /** The fit that counts before it; undefined where there is none, or its tables cannot tell. */
  readonly base: CurrentFit | undefined;
  /** What it does about vectors; undefined where the tables have no place for it. */
  readonly plan: FitPlan | undefined;
}

/**
 * Makes the rows of a load visible, in turn with other writers: what it replaces or supersedes, and what was removed of it, is hidden
 * first. Where the lake's own embedder is to be refitted, that is done while others have their turn; what they made visible
 * meanwhile is looked at again.
 */
export async function publishLoad(
  connection: Connection,
  publication: Publication,
  state: { committing: boolean },
  options: FitOptions,
): Promise<Published> {
  const { made, slices, staged, repeats } = publication;
  const fitting = new Fitting(connection, options);
  let change: Change | undefined;
  for (let left = CLICKHOUSE_DEFAULTS.attempts; left > 0; left -= 1) {
    const lease = await WriterLease.take(connection, options.signal);
    try {
      const layout = await levelLoads(connection, lease);
      const before = await committedLoads(connection, options.signal);
      if (change === undefined || loadList(change.before) !== loadList(before)) {
        if (change !== undefined) await dropChanges(connection, made.id);
        change = await noteChange(connection, slices, { before, made, repeats }, staged, options.signal);
      }
      const fit = fitting.fitFor(change, staged);
      if (fit !== undefined) {
        await commit(connection, change, fit, { lease, layout, state, signal: options.signal });
        return { ...change.replaced, rebuild: fitting.rebuild };
      }
    } finally {
      await lease.release();
    }
    await fitting.fit(change);
  }
  const shown = shownClickHouse(connection.address);
  throw new LakeError(
    "cluster_busy",
    `Others changed ${shown} whenever this install had fitted the embedder`,
    {
      value: shown,
      remedy: "Run it again: nothing of this install is visible.",
    },
  );
}

/** Notes what a load hides and shows otherwise, and what is to be done about vectors. */
async function noteChange(
  connection: Connection,
  slices: readonly SourceSlice[],
  change: LoadChange,
  staged: Fit | undefined,
  signal: AbortSignal | undefined,
): Promise<Change> {
  const { before, made } = change;
  const installs = installsOf(before);
  const version = (await knownTables(connection)).version!;
  const hasPlace = version >= CLICKHOUSE_DEFAULTS.fitVersion;
  const base = installs.length === 0 ? undefined : await readFit(connection, installs, signal);
  const others = base !== undefined && base.model !== (staged?.model ?? made.model);
  refuseMeanwhile(connection, slices, change, others && (base.fit === 0 || !hasPlace));
  const superseded = newlySuperseded(change);
  if (superseded.length > 0) refuseLost(version, change);
  const replaced = await hideReplaced(connection, change, signal);
  const removes = await showOtherwise(connection, change, version, signal);
  const noted = { ...change, replaced, removes, base };
  if (!hasPlace) return { ...noted, plan: undefined };
  const live = await liveContent(connection, change, signal);
  const sum = (kind: "records" | "raw") =>
    slices.reduce((total, { manifest }) => total + manifest.mirrorlake.counts[kind], 0);
  const supersedes = superseded.length > 0;
  const brought = {
    records: sum("records"),
    raw: sum("raw"),
    refits: supersedes && before.some((load) => load.removes),
    lacks: supersedes && base !== undefined && !(await hasVectors(connection, change, base, signal)),
  };
  return { ...noted, plan: planFit(base, staged?.fit ?? 0, live, brought) };
}

async function commit(
  connection: Connection,
  { before, made, removes, base, plan }: Change,
  { fit, model }: Fit,
  {
    lease,
    layout,
    state,
    signal,
  }: {
    readonly lease: WriterLease;
    readonly layout: ClusterLayout | undefined;
    readonly state: { committing: boolean };
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const all = countingLoads([...installsOf(before), made]);
  // Of another fit than the first, loads of which no row counts any more may have brought vectors of others' rows.
  const brought = fit === 0 ? all : [...installsOf(before), made];
  await indexVectors(connection, brought, { records: recordsOf(all), fit });
  // What was embedded for it is there now, too.
  const digests = fit === 0 ? made.digests : await withRefitted(connection, made.id, made.digests, signal);
  if (plan !== undefined)
    await writeFit(connection, made.id, { fit, turn: (base?.turn ?? 0) + 1, size: plan.size });
  signal?.throwIfAborted();
  state.committing = true;
  await commitLoad(connection, { ...made, model, digests, removes }, lease, layout);
}

/** Refuses a load where another install brought its slices, or fitted an embedder that its vectors cannot take the place of, while it was prepared. */
function refuseMeanwhile(
  connection: Connection,
  slices: readonly SourceSlice[],
  { before, made }: LoadChange,
  isOther: boolean,
): void {
  const installs = installsOf(before);
  const superseded = supersededRoots([...installs, made]);
  // Of a slice and what was cut of it the load with the greater number decides: it need not be the later one.
  const isLost = made.slices.some((slice) => superseded.has(rootOf(slice)));
  if (!isOther && !isLost && freshOf(slices, installs).length === slices.length) return;
  const shown = shownClickHouse(connection.address);
  const what = isOther ? "fitted the embedder" : "brought some of these slices";
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
  version: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const removed = before.some(({ removes }) => removes);
  // What is alone in its lake is as it was prepared.
  if (!removed && !repeats && installsOf(before).length === 0) return false;
  const loads = [...before, made];
  const work = {
    connection,
    version,
    loads,
    by: made.id,
    atMs: made.nowMs,
    reason: "installed later",
    signal,
  };
  if (removed) await findAnsweredHashes(work);
  if (removed) await deriveKeys(work);
  if (removed) await hideRemoved(work);
  const quoting = await redactRows(work);
  if (version < CLICKHOUSE_DEFAULTS.pricesVersion) await refuseOvertaken(connection, before, made);
  return quoting > 0 || (await hidesAnything(work));
}

/**
 * Refuses a load that shows an item otherwise which a removal shows otherwise, too, that came while the load was prepared: in tables of
 * before version 7 the greater number is shown, which is the removal's, without what this load brings.
 */
async function refuseOvertaken(connection: Connection, loads: readonly Load[], { id }: Load): Promise<void> {
  const later = loads.filter((load) => load.removes && load.id > id);
  if (later.length === 0) return;
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
function refuseLost(version: number, { before, made }: LoadChange): void {
  refuseOlder(version, CLICKHOUSE_DEFAULTS.revisionVersion);
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
