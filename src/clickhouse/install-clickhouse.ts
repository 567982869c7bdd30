import { randomInt } from "node:crypto";
import { tmpdir } from "node:os";
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
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import { makeTemporaryFolder } from "../files/temporary-folder.js";
import { findSlices } from "../lake/find-slices.js";
import { checkPlatforms } from "../lake/install/place-slice.js";
import type { InstallProgress } from "../lake/install/publish-generation.js";
import { EMBEDDER } from "../search/index-manifest.js";
import { verifySlices } from "../slice/verify-slice.js";
import type { SourceSlice } from "../store/load-tables.js";
import { type ClickHouseAddress, isClickHouseAddress } from "./clickhouse-address.js";
import { committedLoads, type Load } from "./committed-loads.js";
import { Connection } from "./connection.js";
import { hideReplaced, refusePricesApart } from "./load/replaced-rows.js";
import { dropLoad, type Sent, sendRows } from "./load/send-rows.js";
import { stage } from "./load/staged.js";
import { fetchModel, storeModel } from "./model-store.js";
import { RowBinaryWriter } from "./row-binary.js";
import { makeSchema } from "./schema.js";
import { clusterUnsupported } from "./unsupported.js";

/** Options of {@link installClickHouse}. */
export interface ClickHouseInstallOptions {
  /** Address of the lake; its database exists, its tables are made. */
  readonly lake: ClickHouseAddress;
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
 * then streams them in bounded memory; they are visible together, or not at all. A slice that is installed is left out. One install
 * at a time.
 * @throws UsageError `invalid_options`, `invalid_argument`; SliceError for a slice that is corrupt, truncated, foreign or of a newer format; LakeError `slices_not_found`,
 * `cluster_unsupported` for a revision of an installed slice, `cluster_*`; the signal's reason
 */
export async function installClickHouse(
  dirs: readonly string[],
  options: ClickHouseInstallOptions,
): Promise<ClickHouseInstallReport> {
  checkArgument(PathsOption, dirs, "dirs", "installClickHouse");
  checkOptions(OPTIONS, options, "installClickHouse");
  const found = await findSlices(dirs);
  const connection = await Connection.open(options.lake, true);
  try {
    await makeSchema(connection);
    const loads = await committedLoads(connection);
    const held = loads.flatMap(({ slices }) => slices);
    const installed = new Set(held.map(rootOf));
    const superseded = new Set(found.flatMap(({ manifest }) => manifest.mirrorlake.supersedes));
    refuseRevisions(held, superseded);
    const gone = new Set([...superseded, ...held.flatMap(({ mirrorlake }) => mirrorlake.supersedes)]);
    const fresh = found.filter(
      ({ manifest }) => !installed.has(rootOf(manifest)) && !gone.has(rootOf(manifest)),
    );
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

async function load(
  connection: Connection,
  slices: readonly SourceSlice[],
  loads: readonly Load[],
  { threads, clock = systemClock, onProgress, signal }: ClickHouseInstallOptions,
): Promise<Sent & { readonly replaced: { readonly records: number; readonly raw: number } }> {
  const folder = await makeTemporaryFolder(join(tmpdir(), "mirrorlake-loads"));
  const nowMs = clock.now();
  // Later loads have greater numbers; two of one millisecond differ, too.
  const id = nowMs * 1024 + randomInt(1024);
  try {
    const known = loads.at(-1)?.model;
    const fit = known === undefined ? undefined : join(folder.path, "fit");
    if (known !== undefined) await fetchModel(connection, known, join(fit!, EMBEDDER), signal);
    const staged = await stage(join(folder.path, "generation"), slices, {
      nowMs,
      fit,
      threads,
      signal,
      onProgress,
    });
    try {
      const model = await storeModel(connection, join(staged.search, EMBEDDER), signal);
      const sent = await sendRows(connection, staged, id, { onProgress, signal });
      await refusePricesApart(connection, loads, id, signal);
      const replaced = await hideReplaced(connection, loads, id, signal);
      signal?.throwIfAborted();
      const manifests = slices.map(({ manifest }) => manifest);
      await commit(connection, { id, nowMs, model, records: sent.records, raw: sent.raw, slices: manifests });
      return { ...sent, replaced };
    } catch (error) {
      await dropLoad(connection, id);
      throw error;
    }
  } finally {
    await folder.remove();
  }
}

/** Makes a load visible: one row, which is there or not. */
async function commit(
  connection: Connection,
  { id, nowMs, model, records, raw, slices }: Load,
): Promise<void> {
  const row = new RowBinaryWriter().uint64(id).int64(nowMs).text(model).uint32(records).uint32(raw);
  const columns = ["load", "now_ms", "model", "records", "raw", "slices"];
  await connection.insert("loads", columns, [row.text(JSON.stringify(slices)).take()]);
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
