import { resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { type ClickHouseAddress, shownClickHouse } from "../../clickhouse/clickhouse-address.js";
import { installClickHouse } from "../../clickhouse/install-clickhouse.js";
import { UsageError } from "../../contract/errors.js";
import { counted, formatDuration } from "../../contract/quantity.js";
import { type CliContext, printJson } from "../context.js";
import { showInstall } from "../format/install-phases.js";
import { createProgress } from "../format/progress.js";
import { formatSlices } from "../format/slice-table.js";
import { style } from "../format/terminal-style.js";
import { embedderOf } from "./embedder-option.js";
import type { InstallCommandOptions } from "./install.js";

/** Installs slices into a lake on ClickHouse, and prints what it did. @throws UsageError `folder_needed` */
export async function installCluster(
  dirs: readonly string[],
  lake: ClickHouseAddress,
  options: InstallCommandOptions,
  context: CliContext,
): Promise<void> {
  const { rebuild, copy, index, graphFrom, threads, json } = options;
  const refused = Object.entries({ rebuild, copy, index, "graph-from": graphFrom }).find(
    ([, value]) => value !== undefined,
  );
  if (refused !== undefined)
    throw new UsageError("folder_needed", `--${refused[0]} works on a lake in a folder`, {
      value: shownClickHouse(lake),
      remedy: "Leave it out: ClickHouse keeps slices, words and vectors in tables.",
    });
  const { out } = context;
  const started = performance.now();
  const embedder = await embedderOf(options, context);
  const progress = createProgress(context);
  const report = await installClickHouse(
    dirs.map((dir) => resolve(context.cwd, dir)),
    { lake, embedder, threads, signal: context.signal, onProgress: showInstall(progress) },
  ).finally(() => progress.end());
  if (json) {
    printJson(context, report);
    return;
  }
  out.write(formatSlices(report.slices, out.columns));
  const { records, raw } = report;
  const replaced = records.replaced + raw.replaced;
  const facts = [
    report.change === "none"
      ? "nothing to install"
      : `${counted(records.added, "record")} and ${counted(raw.added, "raw item")} added`,
    ...(replaced > 0 ? [`${counted(replaced, "older edition")} replaced or left out`] : []),
  ];
  out.write(`${style(out, "bold", facts.join(", "))}\n`);
  out.write(`${shownClickHouse(lake)}, ${formatDuration(performance.now() - started)}\n`);
}
