import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { type Clock, systemClock } from "../clock.js";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { LakeError } from "../contract/errors.js";
import {
  CallbackOption,
  ClockOption,
  EngineThreadsOption,
  PathsOption,
  SignalOption,
} from "../contract/option-schemas.js";
import { PLATFORMS } from "../contract/service/platforms.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import { makeTemporaryFolder } from "../files/temporary-folder.js";
import { findSlices } from "../lake/find-slices.js";
import { checkPlatforms } from "../lake/install/place-slice.js";
import type { InstallProgress } from "../lake/install/publish-generation.js";
import type { Embedder } from "../search/embed/embedder.js";
import { EmbedderOption } from "../search/embed/embedder-option.js";
import { EMBEDDER } from "../search/index-manifest.js";
import { verifySlices } from "../slice/verify-slice.js";
import type { SourceSlice } from "../store/generation/load-tables.js";
import { type ClickHouseAddress, isClickHouseAddress, shownClickHouse } from "./clickhouse-address.js";
import { levelLoads } from "./cluster/copies.js";
import { openWriter } from "./cluster/open-writer.js";
import {
  commitLoad,
  committedLoads,
  installsOf,
  type Load,
  newLoadId,
  recordsOf,
} from "./committed-loads.js";
import type { Connection } from "./connection.js";
import { indexVectors } from "./load/index-vectors.js";
import { loadDigests, refusePart } from "./load/load-digests.js";
import { hideReplaced, refusePricesApart } from "./load/replaced-rows.js";
import { dropLoad, type Sent, sendRows } from "./load/send-rows.js";
import { stage } from "./load/staged.js";
import { fetchModel, storeModel } from "./model-store.js";
import { ownSetOf, readOwnSet, refuseOtherEmbedder, refuseWithoutTable, withoutFit } from "./own-set.js";
import { deriveKeys } from "./removals/derive-keys.js";
import { changesAnything, hideRemoved } from "./removals/hide-removed.js";
import { redactRows } from "./removals/redact-rows.js";
import { makeSchema } from "./schema.js";
import { clusterUnsupported } from "./unsupported.js";
import { WriterLease } from "./writer-lease.js";

/** Options of {@link installClickHouse}. */
export interface ClickHouseInstallOptions {
  /** Address of the lake; its database exists, its tables are made. */
  readonly lake: ClickHouseAddress;
  /**
   * Embedder of a second set of vectors, of all records, which ranks wherever the lake is opened with it. Later installs into such a lake
   * need it too.
   */
  readonly embedder?: Embedder;
  /** Threads that prepare the rows. */
  readonly threads?: number;
  readonly clock?: Clock;
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly signal?: AbortSignal;
}

const OPTIONS = optionsSchema<ClickHouseInstallOptions>(() => ({
  lake: z.custom<ClickHouseAddress>(
    (value) => typeof value === "string" && isClickHouseAddress(value),
    "must be an address such as clickhouse://user@host:8123/database",
  ),
  embedder: EmbedderOption.optional(),
  threads: EngineThreadsOption.optional(),
  clock: ClockOption.optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

/** Result of {@link installClickHouse}. */
export interface ClickHouseInstallReport {
  readonly change: "none" | "added";
  readonly slices: readonly {
    readonly root: string;
    readonly name: string;
    readonly state: "installed" | "present";
    readonly records: number;
    readonly raw: number;
    readonly vectors: number;
  }[];
  /** Items that the install brought, and items of the lake that they replaced. */
  readonly records: { readonly added: number; readonly replaced: number };
  readonly raw: { readonly added: number; readonly replaced: number };
}

/**
 * Installs slices into a lake on ClickHouse. This machine verifies them and prepares rows, words and vectors in a temporary folder,
 * then streams them in bounded memory; they are visible together, or not at all. A slice that is installed is left out. Several
 * installs prepare and send at once, and become visible in turn. What was removed from the lake stays removed.
 * @throws UsageError `invalid_options`, `invalid_argument`; SliceError for a slice that is corrupt, truncated, foreign or of a newer format; LakeError `slices_not_found`,
 * `cluster_unsupported` for a revision of an installed slice, `cluster_busy` if another install brought the same, `cluster_*`;
 * SearchError `embedder_differs` where the lake has vectors of another embedder, `embedder_invalid`; the signal's reason
 */
export async function installClickHouse(
  dirs: readonly string[],
  options: ClickHouseInstallOptions,
): Promise<ClickHouseInstallReport> {
  checkArgument(PathsOption, dirs, "dirs", "installClickHouse");
  checkOptions(OPTIONS, options, "installClickHouse");
  const found = await findSlices(dirs);
  const connection = await openWriter(options.lake);
  try {
    await makeSchema(connection);
    const loads = await committedLoads(connection);
    const held = installsOf(loads).flatMap(({ slices }) => slices);
    const fresh = freshOf(found, held);
    checkPlatforms([...PLATFORMS, ...held.map(({ mirrorlake }) => mirrorlake.platform)], fresh);
    await verifySlices(
      fresh.map(({ dir }) => dir),
      { signal: options.signal },
    );
    const sent = fresh.length === 0 ? undefined : await load(connection, fresh, loads, options);
    const added = new Set(fresh.map(({ manifest }) => rootOf(manifest)));
    return {
      change: sent === undefined ? "none" : "added",
      slices: found.map(({ manifest }) => ({
        root: rootOf(manifest),
        name: manifest.name,
        state: added.has(rootOf(manifest)) ? "installed" : "present",
        ...manifest.mirrorlake.counts,
      })),
      records: { added: sent?.records ?? 0, replaced: sent?.replaced.records ?? 0 },
      raw: { added: sent?.raw ?? 0, replaced: sent?.replaced.raw ?? 0 },
    };
  } finally {
    await connection.close();
  }
}

/** The slices that a lake does not have, and that none of these or of its own supersedes. */
function freshOf(found: readonly SourceSlice[], held: readonly SliceManifest[]): SourceSlice[] {
  const installed = new Set(held.map(rootOf));
  const superseded = new Set(found.flatMap(({ manifest }) => manifest.mirrorlake.supersedes));
  refuseRevisions(held, superseded);
  const gone = new Set([...superseded, ...held.flatMap(({ mirrorlake }) => mirrorlake.supersedes)]);
  return found.filter(({ manifest }) => !installed.has(rootOf(manifest)) && !gone.has(rootOf(manifest)));
}

type Loaded = Sent & { readonly replaced: { readonly records: number; readonly raw: number } };

async function load(
  connection: Connection,
  slices: readonly SourceSlice[],
  loads: readonly Load[],
  { embedder, threads, clock = systemClock, onProgress, signal }: ClickHouseInstallOptions,
): Promise<Loaded> {
  const installs = installsOf(loads);
  const held = await readOwnSet(connection, installs, signal);
  refuseOtherEmbedder(held, installs, embedder);
  if (embedder !== undefined) await refuseWithoutTable(connection);
  const folder = await makeTemporaryFolder(tmpdir(), "mirrorlake-load-");
  const nowMs = clock.now();
  const id = newLoadId(nowMs);
  try {
    const known = installs.at(-1)?.model;
    const fit = known === undefined ? undefined : join(folder.path, "fit");
    if (known !== undefined) await fetchModel(connection, known, join(fit!, EMBEDDER), signal);
    const staged = await stage(join(folder.path, "generation"), slices, {
      nowMs,
      fit,
      embedder: embedder === undefined || held === undefined ? embedder : withoutFit(embedder),
      threads,
      signal,
      onProgress,
    });
    const state = { committing: false };
    try {
      const model = await storeModel(connection, join(staged.search, EMBEDDER), signal);
      const sent = await sendRows(connection, staged, id, {
        own: ownSetOf(staged, embedder),
        onProgress,
        signal,
      });
      const manifests = slices.map(({ manifest }) => manifest);
      const digests = await loadDigests(connection, id, signal);
      refusePart(digests, sent);
      // Nobody else knows of this load, and it is the one that takes long: others have their turn meanwhile.
      const own = [{ id, records: sent.records }];
      await indexVectors(connection, own, recordsOf(installsOf(loads)) + sent.records);
      const made = {
        id,
        nowMs,
        model,
        records: sent.records,
        raw: sent.raw,
        slices: manifests,
        digests,
      };
      return { ...sent, replaced: await publish(connection, slices, made, state, signal) };
    } catch (error) {
      // A commit may be done though its answer was lost: what may be visible is not taken back.
      // Rows that a server cannot drop now stay, invisible; the caller hears why the install failed.
      if (!state.committing) await dropLoad(connection, id).catch(() => {});
      throw error;
    }
  } finally {
    await folder.remove();
  }
}

/** Makes the rows of a load visible, in turn with other writers: what it replaces and what was removed of it is hidden first. */
async function publish(
  connection: Connection,
  slices: readonly SourceSlice[],
  made: Omit<Load, "removes">,
  state: { committing: boolean },
  signal: AbortSignal | undefined,
): Promise<Loaded["replaced"]> {
  const lease = await WriterLease.take(connection, signal);
  try {
    await levelLoads(connection, lease);
    const loads = await committedLoads(connection, signal);
    refuseMeanwhile(connection, slices, made, installsOf(loads));
    await refusePricesApart(connection, loads, made.id, signal);
    const replaced = await hideReplaced(connection, loads, made.id, signal);
    const removes = await removeAgain(connection, loads, made, signal);
    const all = [...installsOf(loads), made];
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

/** Applies earlier removals to a load, and what follows from them with it; whether they change anything. */
async function removeAgain(
  connection: Connection,
  loads: readonly Load[],
  made: Omit<Load, "removes">,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (!loads.some(({ removes }) => removes)) return false;
  const all = [...loads, { ...made, removes: false }];
  const work = { connection, loads: all, by: made.id, atMs: made.nowMs, reason: "installed later", signal };
  await deriveKeys(work);
  await hideRemoved(work);
  await redactRows(work);
  return changesAnything(work);
}

function refuseRevisions(held: readonly SliceManifest[], superseded: ReadonlySet<string>): void {
  const revised = held.map(rootOf).find((root) => superseded.has(root));
  if (revised === undefined) return;
  throw clusterUnsupported(
    "Revisions of installed slices",
    revised,
    "Install the slices with their revisions into an empty database.",
  );
}

function rootOf({ mirrorlake }: SliceManifest): string {
  return mirrorlake.root;
}
