import { readdir } from "node:fs/promises";
import type { Command } from "commander";
import { counted, formatBytes, formatCount } from "../../contract/quantity.js";
import { lakePaths } from "../../lake/lake-paths.js";
import type { TransferOptions } from "../../transfer/pull/open-source.js";
import type { PlannedSlice } from "../../transfer/pull/plan-pull.js";
import type { PullOptions, PullProgress } from "../../transfer/pull/pull-options.js";
import type { CliContext } from "../context.js";
import { showInstall } from "../format/install-phases.js";
import { createProgress } from "../format/progress.js";
import { formatSlices } from "../format/slice-table.js";
import { type EmbedderOptions, embedderOf, embedderOption } from "../lake/embedder-option.js";
import { wholeNumber } from "../options.js";
import { createPullHeaders, HEADERS_VARIABLE } from "./pull-headers.js";

/** Environment variable that replaces a missing `--key`. */
const KEY_VARIABLE = "MIRRORLAKE_KEY";

/** Flags of every command that fetches slices and installs them. */
export interface TransferFlags extends EmbedderOptions {
  readonly key?: string;
  readonly parallel?: number;
  readonly maxRateKb?: number;
  readonly stall?: number;
  readonly retries?: number;
  readonly offline?: boolean;
  readonly spaceCheck: boolean;
}

/** Adds the flags; {@link transferOptions} converts them. */
export function transferFlags(command: Command): Command {
  embedderOption(command);
  return command
    .option("--key <key>", `API key with the scope datasets, for a server (default: $${KEY_VARIABLE})`)
    .option("--parallel <n>", "files fetched in parallel (default: 4)", wholeNumber(1, 64))
    .option("--max-rate-kb <n>", "largest rate in kilobytes per second (default: no limit)", wholeNumber(1))
    .option(
      "--stall <seconds>",
      "time without a byte before a file is resumed (default: 30)",
      wholeNumber(1, 3600),
    )
    .option(
      "--retries <n>",
      "consecutive attempts without progress before failing (default: 8)",
      wholeNumber(0, 1000),
    )
    .option("--offline", "refuse sources that need a network")
    .option("--no-space-check", "continue even if the disk may be too small");
}

/** Converts the flags to the library's options. */
export async function transferOptions(
  flags: TransferFlags,
  context: CliContext,
): Promise<TransferOptions & Pick<PullOptions, "checkSpace" | "embedder">> {
  const key = flags.key ?? context.env[KEY_VARIABLE];
  const headers = createPullHeaders(context.env[HEADERS_VARIABLE]);
  return {
    headers,
    checkSpace: flags.spaceCheck,
    embedder: await embedderOf(flags, context),
    key: key === undefined || key === "" ? undefined : key,
    concurrency: flags.parallel,
    maxBytesPerSecond: flags.maxRateKb === undefined ? undefined : flags.maxRateKb * 1000,
    stallMs: flags.stall === undefined ? undefined : flags.stall * 1000,
    retries: flags.retries,
    offline: flags.offline,
  };
}

/** Returns a callback that shows the progress of a pull. */
export function createPullProgress(context: CliContext): {
  readonly update: (progress: PullProgress) => void;
  readonly end: () => void;
} {
  const line = createProgress(context);
  const install = showInstall(line);
  return {
    update: (progress) => {
      if (progress.phase === "install") return install(progress.install);
      const { done, total, filesDone, files, speed, leftMs } = progress;
      const unit = speed === undefined ? "" : `at ${formatBytes(speed)}/s`;
      line.update("pulling", done, total, "bytes", {
        leftMs,
        note: `${formatCount(filesDone)}/${counted(files, "file")} ${unit}`,
      });
    },
    end: line.end,
  };
}

/** Says of a pull that was interrupted that what it fetched is kept, where it is: of a folder nothing is fetched. */
export async function sayKept(lake: string, context: CliContext): Promise<void> {
  const kept = await readdir(lakePaths(lake).incoming).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (kept.length > 0) context.err.write("Fetched files are kept: run the same command again to continue.\n");
}

/** A slice of a plan, or of what became of it, with its state then. */
type ListedPlan = Omit<PlannedSlice, "state"> & { readonly state: string };

/** Formats the first slices of a plan as a table. */
export function formatPlanned(slices: readonly ListedPlan[], width: number): string {
  return formatSlices(
    slices.map(({ counts, ...slice }) => ({ ...slice, ...counts })),
    width,
  );
}
