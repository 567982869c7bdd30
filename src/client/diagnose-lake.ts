import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ACCOUNT_FOLDER } from "../account/defaults.js";
import { checkAccount } from "../account/repair-account.js";
import { isPostgresAddress, type PostgresAddress } from "../account/store/postgres/postgres-address.js";
import { isClickHouseAddress } from "../clickhouse/clickhouse-address.js";
import { type Clock, systemClock } from "../clock.js";
import { checkOptions, optionsSchema } from "../contract/check-options.js";
import { LakeError } from "../contract/errors.js";
import { ClockOption, SignalOption } from "../contract/option-schemas.js";
import { counted, formatBytes } from "../contract/quantity.js";
import { shellWord } from "../contract/shell-word.js";
import { untilAborted } from "../contract/until-aborted.js";
import { isWritable } from "../files/is-writable.js";
import { exists } from "../files/process-lock.js";
import { readCurrent } from "../lake/current.js";
import { LAKE_DEFAULTS } from "../lake/defaults.js";
import { whyOutgrown } from "../lake/install/why-not-grow.js";
import { Lake } from "../lake/lake.js";
import { lakePaths } from "../lake/lake-paths.js";
import { bytesOf, findUnused } from "../lake/maintain/remove-unused.js";
import { findIncoming } from "../lake/maintain/unused-incoming.js";
import { whyNoCurrent } from "../lake/missing-current.js";
import { readSettings } from "../lake/settings.js";
import { sliceFault } from "../lake/slice-fault.js";
import { problemOf, rebuildCommand } from "../lake/verify/problem.js";
import { CHECKSUMS_FILE } from "../store/generation/checksums.js";
import {
  grownBy,
  readGenerationManifest,
  readSliceManifests,
} from "../store/generation/generation-manifest.js";

/** Codes of problems in files derived from slices, which a rebuild repairs. */
const DERIVED = /^(generation|index|keyword_index|vectors|certificate)|^embedder_(unreadable|invalid)$/;

/** Codes of problems that are not of the lake: the command that repairs it helps nothing. */
const LACKS: ReadonlySet<string> = new Set([
  "too_many_open_files",
  "not_readable",
  "out_of_memory",
  "name_too_long",
  "addon_missing",
  "addons_not_allowed",
]);

/** One finding of a diagnosis. */
export interface Finding {
  /** `error`: all or part of the lake does not work; `warning`: it may soon fail; `note`: it can be improved. */
  readonly level: "error" | "warning" | "note";
  /** Stable code of the finding. */
  readonly code: string;
  readonly message: string;
  /** The command that repairs it, or an instruction if no command can. */
  readonly remedy: string;
}

/** Result of {@link diagnoseLake}. */
export interface Diagnosis {
  /** True if there is no finding of level `error`. */
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

/** Options of {@link diagnoseLake}. */
export interface DiagnoseOptions {
  /** An account on PostgreSQL that the lake is opened with, `postgres://…`; it is looked at, too. */
  readonly account?: PostgresAddress;
  /** Clock by which the leftovers of pulls are old. */
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

const OPTIONS = optionsSchema<DiagnoseOptions>(() => ({
  account: z
    .custom<PostgresAddress>(
      (value) => typeof value === "string" && isPostgresAddress(value),
      "must be an address postgres://…",
    )
    .optional(),
  clock: ClockOption.optional(),
  signal: SignalOption.optional(),
}));

/**
 * Finds problems of a lake in seconds, with their remedies: settings, tombstones, the published generation, slices
 * that are missing or whose files are not of their sizes, leftover files, the account's ledger, disk space. Of one on ClickHouse: servers, versions, tables, rights,
 * profiles, loads, replicas, disks, clocks, the embedder. It reads no records (`verifyLake` does) and changes nothing.
 * @param lake folder, or address `clickhouse://…`
 * @throws UsageError `invalid_options`, `invalid_lake_address`; LakeError `cluster_driver_missing`, `account_driver_missing`; the signal's
 * reason when aborted
 */
export async function diagnoseLake(lake: string, options: DiagnoseOptions = {}): Promise<Diagnosis> {
  checkOptions(OPTIONS, options, "diagnoseLake");
  const { signal, ...more } = options;
  signal?.throwIfAborted();
  // What is asked ends by itself: a server may be silent for a minute.
  return signal === undefined ? diagnose(lake, more) : untilAborted(diagnose(lake, more), signal);
}

async function diagnose(lake: string, options: Omit<DiagnoseOptions, "signal">): Promise<Diagnosis> {
  const shared = options.account === undefined ? [] : await diagnosePostgres(options.account);
  if (isClickHouseAddress(lake)) {
    const { diagnoseCluster } = await import("../clickhouse/cluster/diagnose-cluster.js");
    return diagnosis([...(await diagnoseCluster(lake)), ...shared]);
  }
  const { findings } = await diagnoseFolder(
    lake,
    options.account === undefined,
    (options.clock ?? systemClock).now(),
  );
  return diagnosis([...findings, ...shared]);
}

async function diagnosePostgres(address: PostgresAddress): Promise<Finding[]> {
  const { lookAtPostgresAccount } = await import("../account/look-at-postgres-account.js");
  return lookAtPostgresAccount(address);
}

/** @param isOwn whether calls are charged to the account in the lake's folder */
async function diagnoseFolder(lake: string, isOwn: boolean, nowMs: number): Promise<Diagnosis> {
  const findings: Finding[] = [];
  const note = (level: Finding["level"], code: string, message: string, remedy: string) =>
    findings.push({ level, code, message, remedy });
  const fails = async (known: string | undefined, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return false;
    } catch (error) {
      const { code, message, remedy } = problemOf(error, known ?? "report it");
      note("error", code, message, LACKS.has(code) ? remedy : (known ?? remedy));
      return true;
    }
  };
  if (await fails(undefined, () => readSettings(lake))) return diagnosis(findings);
  await diagnoseGeneration(lake, note, fails);
  await fails(undefined, () => diagnoseLeftovers(lake, nowMs, note));
  if (isOwn) {
    await fails(`mirrorlake account repair --lake ${shellWord(lake)}`, async () => {
      const problem = await checkAccount(lake).catch(noteIsEnough);
      if (problem !== undefined) throw problem;
    });
    await diagnoseAccount(lake, note);
  }
  await diagnoseSpace(lake, note);
  return diagnosis(findings);
}

/** What this user may not write is no damage, and a note of its own says it. */
function noteIsEnough(error: unknown): undefined {
  if (!(error instanceof LakeError) || error.code !== "account_not_writable") throw error;
}

type Note = (level: Finding["level"], code: string, message: string, remedy: string) => void;
type Fails = (known: string | undefined, work: () => Promise<unknown>) => Promise<boolean>;

function diagnosis(findings: readonly Finding[]): Diagnosis {
  return { ok: findings.every(({ level }) => level !== "error"), findings };
}

async function diagnoseGeneration(lake: string, note: Note, fails: Fails): Promise<void> {
  const paths = lakePaths(lake);
  const rebuild = rebuildCommand(lake);
  let current: number | undefined;
  if (
    await fails(rebuild, async () => {
      current = await readCurrent(lake);
    })
  )
    return;
  if (current === undefined) {
    const { code, message, remedy } = await whyNoCurrent(lake);
    note(code === "lake_empty" ? "note" : "error", code, message, remedy!);
    return;
  }
  const dir = paths.generation(current);
  const manifests = await readSliceManifests(dir).catch(() => []);
  for (const manifest of manifests) {
    const fault = await sliceFault(lake, manifest);
    if (fault === undefined) continue;
    note("error", fault.code, `${fault.message}; the lake cannot be rebuilt without it`, fault.remedy);
  }
  let open: Lake | undefined;
  try {
    open = await Lake.open(lake);
    const withheld = open.withheld.size;
    if (withheld > 0) {
      const message = `Withheld because they contain removed records: ${counted(withheld, "slice")}`;
      note("note", "slices_withheld", message, `mirrorlake compact --lake ${shellWord(lake)}`);
    }
    await diagnoseCaptures(open, lake, note);
    await diagnoseFit(dir, lake, note);
    if (!(await exists(join(dir, CHECKSUMS_FILE)))) {
      const message = `${CHECKSUMS_FILE} of the generation is missing: damage of its files may not be seen`;
      note("warning", "file_missing", message, rebuild);
    }
  } catch (error) {
    const { code, message, remedy } = problemOf(error, rebuild);
    note("error", code, message, DERIVED.test(code) ? rebuild : remedy);
  } finally {
    await open?.close();
  }
}

/** Names records that are captured too late to be true: searches measured from as-of leave them out. */
async function diagnoseCaptures({ corpus }: Lake, lake: string, note: Note): Promise<void> {
  const late = {
    orderBy: "captured",
    descending: true,
    fromMs: corpus.asOfMs + 1,
    offset: 0,
    limit: 1,
  } as const;
  const { rows, total } = await corpus.recordsPage(late);
  const [newest] = await corpus.records(rows);
  if (newest === undefined) return;
  const asOf = new Date(corpus.asOfMs).toISOString();
  note(
    "warning",
    "stray_captures",
    `${counted(total, "record is", "records are")} captured too late to be true, the latest ${newest.prov.ts}: searches measured from as-of (${asOf}) leave them out`,
    `correct the source and install it again, or remove what this lists: mirrorlake sql "SELECT id, captured_at FROM records WHERE captured_at > '${asOf}'" --lake ${shellWord(lake)}`,
  );
}

/** Names a lake whose embedder is still to be refitted, since the install that was to do it ended early. */
async function diagnoseFit(dir: string, lake: string, note: Note): Promise<void> {
  const manifest = await readGenerationManifest(dir);
  if ((await whyOutgrown({ dir, manifest })) !== "fit") return;
  const came = counted(grownBy(manifest), "record");
  const message = `The embedder may not know the words of ${came} that came since it was fitted: the install that was to refit it ended early`;
  note("note", "refit_due", message, `mirrorlake compact --refit --lake ${shellWord(lake)}`);
}

/** Names a lake whose own account this user cannot charge. */
async function diagnoseAccount(lake: string, note: Note): Promise<void> {
  const dir = join(lake, ACCOUNT_FOLDER);
  if (await isWritable(dir)) return;
  const message = `This user may not write to ${dir}: calls use an account in memory, without the lake's own keys and balance`;
  note("note", "account_not_writable", message, `make ${dir} and its files writable, or work as their owner`);
}

async function diagnoseLeftovers(lake: string, nowMs: number, note: Note): Promise<void> {
  const current = await readCurrent(lake).catch(() => undefined);
  const dir = current === undefined ? undefined : lakePaths(lake).generation(current);
  const manifests = dir === undefined ? undefined : await readSliceManifests(dir).catch(() => undefined);
  const incoming = await findIncoming(lake, manifests ?? [], nowMs);
  if (incoming.waiting.length > 0) {
    const left = formatBytes(await bytesOfAll(incoming.waiting));
    const message = `${left} of ${counted(incoming.waiting.length, "slice or dataset", "slices and datasets")} that a pull began to fetch, in ${lakePaths(lake).incoming}`;
    const remedy = `run that pull again: it goes on where it was. \`mirrorlake gc\` removes what is not asked for again in ${LAKE_DEFAULTS.incomingDays} days; to be rid of it now, delete that folder while no pull is under way`;
    note("note", "pull_unfinished", message, remedy);
  }
  const roots = new Set(manifests?.map(({ mirrorlake }) => mirrorlake.root));
  const unused = manifests === undefined ? [] : await findUnused(lake, current, roots);
  unused.push(...incoming.unused);
  if (unused.length === 0) return;
  const bytes = await bytesOfAll(unused.map(({ path }) => path));
  const kinds = [...new Set(unused.map(({ kind }) => kind))].join(", ");
  note(
    "warning",
    "leftovers",
    `${formatBytes(bytes)} in ${counted(unused.length, "unused file or folder", "unused files and folders")} (${kinds})`,
    `mirrorlake gc --lake ${shellWord(lake)}`,
  );
}

/** Bytes of files and folders; one that is removed meanwhile counts for nothing. */
async function bytesOfAll(paths: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const path of paths) bytes += await bytesOf(path).catch(() => 0);
  return bytes;
}

async function diagnoseSpace(lake: string, note: Note): Promise<void> {
  const { bavail, bsize } = await statfs(lake);
  const free = bavail * bsize;
  const taken = await bytesOf(lakePaths(lake).generations).catch(() => 0);
  if (free >= taken * LAKE_DEFAULTS.freeSpaceShare) return;
  note(
    "warning",
    "disk_space",
    `${formatBytes(free)} are free; rebuilding the lake takes about ${formatBytes(taken)}`,
    "free space on the disk",
  );
}
