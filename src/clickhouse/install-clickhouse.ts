import { join } from "node:path";
import { z } from "zod";
import { type Clock, systemClock } from "../clock.js";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import {
  CallbackOption,
  ClockOption,
  EngineThreadsOption,
  PathsOption,
  SignalOption,
} from "../contract/option-schemas.js";
import { PLATFORMS } from "../contract/service/platforms.js";
import { inSystemFolder, makeSystemFolder } from "../files/system-folder.js";
import { findSlices } from "../lake/find-slices.js";
import { checkPlatforms } from "../lake/install/place-slice.js";
import type { InstallProgress } from "../lake/install/publish-generation.js";
import type { Rebuild } from "../lake/install/rebuild.js";
import type { Embedder } from "../search/embed/embedder.js";
import { EmbedderOption } from "../search/embed/embedder-option.js";
import { EMBEDDER } from "../search/index-manifest.js";
import { verifySlices } from "../slice/verify-slice.js";
import type { SourceSlice } from "../store/generation/load-tables.js";
import { type ClickHouseAddress, isClickHouseAddress } from "./clickhouse-address.js";
import { openWriter } from "./cluster/open-writer.js";
import { committedLoads, installsOf, type Load, newLoadId, recordsOf } from "./committed-loads.js";
import type { Connection } from "./connection.js";
import { CLICKHOUSE_DEFAULTS } from "./defaults.js";
import { readFit } from "./fit.js";
import { freshOf, rootOf, supersededBy } from "./load/fresh-slices.js";
import { indexVectors } from "./load/index-vectors.js";
import { loadDigests, refusePart } from "./load/load-digests.js";
import { type Published, publishLoad } from "./load/publish-load.js";
import { dropLoad, type Sent, sendRows } from "./load/send-rows.js";
import { stage } from "./load/staged.js";
import { fetchModel, storeModel } from "./model-store.js";
import { ownSetOf, readOwnSet, refuseOtherEmbedder, refuseWithoutTable, withoutFit } from "./own-set.js";
import { knownTables } from "./schema/found-tables.js";
import { makeSchema } from "./schema/schema.js";
import { refuseOlder } from "./schema/schema-version.js";

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
    readonly state: "installed" | "present" | "superseded";
    readonly records: number;
    readonly raw: number;
    readonly vectors: number;
  }[];
  /** Items that the install brought, and items of the lake that they replaced. */
  readonly records: { readonly added: number; readonly replaced: number };
  readonly raw: { readonly added: number; readonly replaced: number };
  /** Why the lake's own embedder was fitted again to all records, and what that was to take, as was told before it started. Absent where it was not. */
  readonly rebuild?: Rebuild;
}

/**
 * Installs slices into a lake on ClickHouse. This machine verifies them and prepares rows, words and vectors in a temporary folder,
 * then streams them in bounded memory; they are visible together, or not at all. A slice that is installed, or superseded, is left out;
 * what a revision supersedes is hidden, and what that had replaced is shown again. Several installs prepare and send at once, and become
 * visible in turn. What was removed from the lake stays removed.
 * @throws UsageError `invalid_options`, `invalid_argument`; SliceError for a slice that is corrupt, truncated, foreign or of a newer format; LakeError `slices_not_found`,
 * `cluster_unsupported` for a revision of slices whose install left out what they had replaced, `cluster_older_format` for a revision, or price points
 * of another install's products, where the tables are too old, `cluster_busy` if another install brought the same, `cluster_*`;
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
    await refuseOldModel(connection, options.signal);
    const version = await makeSchema(connection);
    const loads = await committedLoads(connection);
    const held = installsOf(loads).flatMap(({ slices }) => slices);
    const fresh = freshOf(found, installsOf(loads));
    const superseded = supersededBy(found, installsOf(loads));
    if (held.some((slice) => superseded.has(rootOf(slice))))
      refuseOlder(version, CLICKHOUSE_DEFAULTS.revisionVersion);
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
        state: superseded.has(rootOf(manifest))
          ? "superseded"
          : added.has(rootOf(manifest))
            ? "installed"
            : "present",
        ...manifest.mirrorlake.counts,
      })),
      records: countsOf(sent, "records"),
      raw: countsOf(sent, "raw"),
      rebuild: sent?.rebuild,
    };
  } finally {
    await connection.close();
  }
}

/**
 * Refuses a lake in older tables whose embedder cannot be read, before they are brought up to date: a program of the older version, which
 * reads it, could not read them any more.
 * @throws what {@link fetchModel} throws
 */
async function refuseOldModel(connection: Connection, signal: AbortSignal | undefined): Promise<void> {
  const { version } = await knownTables(connection);
  const { readableVersion, schemaVersion } = CLICKHOUSE_DEFAULTS;
  if (version === undefined || version < readableVersion || version === schemaVersion) return;
  const installs = installsOf(await committedLoads(connection));
  if (installs.length === 0) return;
  const { model } = await readFit(connection, installs, signal);
  await inSystemFolder("model", (dir) => fetchModel(connection, model, join(dir, EMBEDDER), signal));
}

type Loaded = Sent & Published;

function countsOf(loaded: Loaded | undefined, kind: "records" | "raw"): ClickHouseInstallReport["records"] {
  if (loaded === undefined) return { added: 0, replaced: 0 };
  return { added: loaded[kind] - loaded.outdated[kind], replaced: loaded.replaced[kind] };
}

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
  const folder = await makeSystemFolder("load");
  const nowMs = clock.now();
  const id = newLoadId(nowMs, loads);
  try {
    const staged = installs.length === 0 ? undefined : await readFit(connection, installs, signal);
    const fit = staged === undefined ? undefined : join(folder.path, "fit");
    if (staged !== undefined) await fetchModel(connection, staged.model, join(fit!, EMBEDDER), signal);
    const layers = await stage(join(folder.path, "generation"), slices, {
      nowMs,
      fit,
      embedder: embedder === undefined || held === undefined ? embedder : withoutFit(embedder),
      threads,
      signal,
      onProgress,
    });
    const state = { committing: false };
    try {
      const [first] = layers;
      const model = await storeModel(connection, join(first!.search, EMBEDDER), {
        known: staged?.model,
        signal,
      });
      const vectors = staged?.fit ?? 0;
      const sent = await sendRows(connection, layers, id, {
        fit: vectors,
        own: ownSetOf(first!, embedder),
        onProgress,
        signal,
      });
      const manifests = slices.map(({ manifest }) => manifest);
      const digests = await loadDigests(connection, id, signal);
      refusePart(digests, sent);
      // Nobody else knows of this load, and it is the one that takes long: others have their turn meanwhile.
      const own = [{ id, records: sent.records }];
      await indexVectors(connection, own, {
        records: recordsOf(installs) + sent.records,
        fit: vectors,
      });
      const made = {
        id,
        nowMs,
        model,
        records: sent.records,
        raw: sent.raw,
        slices: manifests,
        removes: false,
        digests,
      };
      return {
        ...sent,
        ...(await publishLoad(connection, { made, slices, staged, repeats: layers.length > 1 }, state, {
          threads,
          onProgress,
          signal,
        })),
      };
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
