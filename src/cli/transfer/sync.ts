import { resolve } from "node:path";
import type { Command } from "commander";
import { LOCK_FILE } from "../../contract/lake/lock-file.js";
import { counted, formatBytes, formatCount } from "../../contract/quantity.js";
import type { LockDrift } from "../../transfer/pull/lock-file-io.js";
import type { SyncReport } from "../../transfer/pull/sync-lake.js";
import { type CliContext, printJson } from "../context.js";
import { type Column, formatTable } from "../format/format-table.js";
import { style } from "../format/terminal-style.js";
import { rebuildHelp } from "../lake/rebuild-help.js";
import { failIfInterrupted, remadeFacts, settledNotes } from "../lake/settled-install.js";
import { examples, jsonOption, lakeOption, lakePath, wholeNumber } from "../options.js";
import { createPullProgress, type TransferFlags, transferFlags, transferOptions } from "./pull-options.js";

/** Longest list of slices that is printed; the rest is counted. */
const LIST_LINES = 20;

const DRIFT_COLUMNS: readonly Column[] = [
  { header: "root" },
  { header: "slice", grow: true },
  { header: "drift" },
  { header: "size", align: "right" },
];

interface SyncCommandOptions extends TransferFlags {
  readonly lake?: string;
  readonly lock: string;
  readonly source?: string;
  readonly check?: boolean;
  readonly write?: boolean;
  readonly threads?: number;
  readonly json?: boolean;
}

/** Registers `sync`: makes a lake match a lock file, checks that it does, or writes the lock file. */
export function registerSync(program: Command, context: CliContext): void {
  const command = program
    .command("sync")
    .description("Make a lake hold exactly the slices that a lock file pins, or check that it does.")
    .option("--lock <file>", "the lock file", LOCK_FILE)
    .option("--source <from>", "pull every slice from this address, folder or .zip")
    .option("--check", "change nothing; exit code 1 if the lake does not match the lock file")
    .option("--write", "write the lock file from the lake's slices")
    .option(
      "--threads <n>",
      "threads that build the lake's indexes (default: one per processor)",
      wholeNumber(1, 256),
    );
  transferFlags(command);
  lakeOption(command);
  jsonOption(command);
  rebuildHelp(command);
  examples(command, [
    "sync --lake ./lake                          # the same lake, elsewhere",
    "sync --lake ./lake --check                  # in CI: refuses drift with exit code 1",
    "sync --lake ./lake --source ./public.zip    # the same, without a network",
    "sync --lake ./lake --write",
  ]);
  command.action(async (options: SyncCommandOptions) => {
    const lake = lakePath(options, context);
    const lockFile = resolve(context.cwd, options.lock);
    if (options.check && options.write) command.error("error: --check and --write exclude each other");
    if (options.write) return write(lake, lockFile, options, context);
    if (options.check) return check(lake, lockFile, options, context);
    return sync(lake, lockFile, options, context);
  });
}

async function write(
  lake: string,
  lockFile: string,
  options: SyncCommandOptions,
  context: CliContext,
): Promise<void> {
  const { writeLockFile } = await import("../../transfer/pull/lock-file-io.js");
  const lock = await writeLockFile(lockFile, lake);
  if (options.json) return printJson(context, lock);
  context.out.write(`${options.lock} pins ${counted(lock.slices.length, "slice")}\n`);
}

async function check(
  lake: string,
  lockFile: string,
  options: SyncCommandOptions,
  context: CliContext,
): Promise<void> {
  const { checkLock } = await import("../../transfer/pull/sync-lake.js");
  const drift = await checkLock({ lake, lockFile });
  if (!drift.inSync) context.fail();
  if (options.json) return printJson(context, drift);
  printDrift(drift, { lock: options.lock, lake }, context);
}

async function sync(
  lake: string,
  lockFile: string,
  options: SyncCommandOptions,
  context: CliContext,
): Promise<void> {
  const { syncLake } = await import("../../transfer/pull/sync-lake.js");
  const { isAddress } = await import("../../transfer/pull/open-source.js");
  const { source, threads } = options;
  const given = await transferOptions(options, context);
  const progress = createPullProgress(context);
  let report: SyncReport;
  try {
    report = await syncLake({
      lake,
      lockFile,
      signal: context.signal,
      onProgress: progress.update,
      source: source === undefined ? undefined : isAddress(source) ? source : resolve(context.cwd, source),
      threads,
      ...given,
    });
  } finally {
    progress.end();
  }
  if (report.install !== undefined) failIfInterrupted(report.install, context);
  if (options.json) return printJson(context, report);
  const { slices, missing, bytesFetched, install } = report;
  const over = bytesFetched > 0 ? `, ${formatBytes(bytesFetched)} over the network` : "";
  const nothing = install === undefined ? "nothing to do" : "nothing to pull";
  const did = missing === 0 ? nothing : `${formatCount(missing)} pulled${over}`;
  context.out.write(`in sync with ${options.lock}: ${counted(slices, "slice")}, ${did}\n`);
  if (install === undefined) return;
  for (const fact of remadeFacts(install)) context.out.write(`${fact}\n`);
  context.out.write(settledNotes(install));
}

function printDrift(
  { inSync, noLake, missing, extra }: LockDrift,
  { lock, lake }: { readonly lock: string; readonly lake: string },
  { out }: CliContext,
): void {
  if (inSync) {
    out.write(`in sync with ${lock}\n`);
    return;
  }
  const line = (drift: string) => (slice: { root: string; name: string; bytes: number }) =>
    [slice.root.slice(0, 12), slice.name, drift, formatBytes(slice.bytes)] as const;
  const rows = [...missing.map(line("missing")), ...extra.map(line("not pinned"))];
  if (rows.length > 0) out.write(formatTable(DRIFT_COLUMNS, rows.slice(0, LIST_LINES), out.columns));
  if (rows.length > LIST_LINES) out.write(`… and ${counted(rows.length - LIST_LINES, "more slice")}\n`);
  const without = noLake ? `there is no lake at ${lake}, ` : "";
  const words = `not in sync with ${lock}: ${without}${counted(missing.length, "slice")} missing, ${formatCount(extra.length)} not pinned`;
  out.write(`${style(out, "bold", words)}\n`);
}
