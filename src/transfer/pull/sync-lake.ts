import { resolve } from "node:path";
import { checkOptions, optionsSchema } from "../../contract/check-options.js";
import { LakeError, PullError, UsageError } from "../../contract/errors.js";
import type { LockedSlice } from "../../contract/lake/lock-file.js";
import {
  CallbackOption,
  EngineThreadsOption,
  FlagOption,
  PathOption,
  SignalOption,
  TextOption,
} from "../../contract/option-schemas.js";
import { counted } from "../../contract/quantity.js";
import type { InstallReport } from "../../lake/install/install-report.js";
import { EmbedderOption } from "../../search/embed/embedder-option.js";
import { compareWithLock, fromLock, type LockDrift, readLockFile } from "./lock-file-io.js";
import { isAddress, transferShape } from "./open-source.js";
import type { PullOptions } from "./pull-options.js";
import { type PullReport, pullJobs, settlePulled } from "./pull-slices.js";

/** Options of {@link syncLake}. */
export interface SyncOptions extends Omit<PullOptions, "filter" | "roots"> {
  /** Path of the lock file. */
  readonly lockFile: string;
  /** Source of all slices, overriding those in the lock file: a mirror, or a local copy. */
  readonly source?: string;
}

/** Result of a sync. */
export interface SyncReport {
  /** Slices that the lock file pins, and how many of them the lake lacked. */
  readonly slices: number;
  readonly missing: number;
  readonly bytesFetched: number;
  /** One for each source that something was pulled from. */
  readonly pulls: readonly PullReport[];
  /** Absent where the lake was in sync, and no install before left a refit or a merge to do. */
  readonly install?: InstallReport;
}

const OPTIONS = optionsSchema<SyncOptions>(() => ({
  ...transferShape(),
  lake: PathOption,
  lockFile: PathOption,
  source: TextOption.optional(),
  checkSpace: FlagOption.optional(),
  embedder: EmbedderOption.optional(),
  threads: EngineThreadsOption.optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

const LOCK_OPTIONS = optionsSchema<Pick<SyncOptions, "lake" | "lockFile">>(() => ({
  lake: PathOption,
  lockFile: PathOption,
}));

/**
 * Makes a lake hold the very slices that a lock file pins: what is missing is pulled from where the file says, by root, and
 * installed at once. A lake that lacks nothing needs no network.
 * @throws LakeError `lake_drift` when the lake holds a slice that is not pinned, `lock_not_found`, `lock_invalid`; PullError
 * `lock_unsatisfied` when a source does not have what is pinned; what {@link pullSlices} throws
 */
export async function syncLake(options: SyncOptions): Promise<SyncReport> {
  checkOptions(OPTIONS, options, "syncLake");
  const { source } = options;
  const lake = resolve(options.lake);
  const lockFile = resolve(options.lockFile);
  const at = { ...options, lake, lockFile };
  const lock = await readLockFile(lockFile);
  const { missing, extra } = await compareWithLock(lake, lock);
  if (extra.length > 0) {
    throw new LakeError(
      "lake_drift",
      `The lake at ${lake} holds ${counted(extra.length, "slice")} that ${lockFile} does not pin, ${extra[0]!.name} among them`,
      {
        value: extra.map(({ root }) => root),
        remedy: "sync into a new folder, or pin what the lake holds: mirrorlake sync --write",
      },
    );
  }
  const slices = lock.slices.length;
  if (missing.length === 0) {
    const install = await settlePulled(at);
    return { slices, missing: 0, bytesFetched: 0, pulls: [], install };
  }
  const jobs = jobsOf(missing, lockFile, source);
  if (at.key !== undefined) refuseSharedKey(jobs.map((job) => job.source));
  const { reports, install } = await pullJobs(jobs, at);
  const bytesFetched = reports.reduce((sum, report) => sum + report.bytesFetched, 0);
  return {
    slices,
    missing: missing.length,
    bytesFetched,
    pulls: reports,
    install,
  };
}

/**
 * Compares a lake with a lock file and changes nothing.
 * @throws LakeError `lock_not_found`, `lock_invalid`, `lock_newer_format`
 */
export async function checkLock(options: Pick<SyncOptions, "lake" | "lockFile">): Promise<LockDrift> {
  checkOptions(LOCK_OPTIONS, options, "checkLock");
  return compareWithLock(options.lake, await readLockFile(options.lockFile));
}

function jobsOf(missing: readonly LockedSlice[], lockFile: string, override: string | undefined) {
  const jobs = new Map<string, string[]>();
  for (const { root, name, source } of missing) {
    const from = override ?? (source === null ? undefined : fromLock(lockFile, source));
    if (from === undefined) {
      throw new PullError(
        "lock_unsatisfied",
        `${lockFile} does not say where ${name} (${root.slice(0, 12)}) comes from`,
        {
          value: root,
          remedy: "name a source that has it: mirrorlake sync --source <address, folder or .zip>",
        },
      );
    }
    jobs.set(from, [...(jobs.get(from) ?? []), root]);
  }
  return [...jobs].map(([source, roots]) => ({ source, roots, exactly: true }));
}

/** Refuses one key for several servers: a key must not be sent to other servers that a lock file names. */
function refuseSharedKey(sources: readonly string[]): void {
  const origins = new Set(sources.filter(isAddress).map((source) => new URL(source).origin));
  if (origins.size < 2) return;
  throw new UsageError("key_ambiguous", `One key, and slices from ${[...origins].join(" and ")}`, {
    value: [...origins],
    remedy: "pull from each by itself, or name one source for all: mirrorlake sync --source",
  });
}
