import type { ClickHouseAddress } from "../../clickhouse/clickhouse-address.js";
import { verifyCluster } from "../../clickhouse/cluster/verify-cluster.js";
import { counted, formatCount } from "../../contract/quantity.js";
import { terminalLine } from "../../contract/terminal-text.js";
import { type CliContext, printJson } from "../context.js";
import { style } from "../format/terminal-style.js";

/** Checks a lake on ClickHouse, and prints what is wrong. */
export async function verifyClusterLake(
  lake: ClickHouseAddress,
  { json }: { readonly json?: boolean },
  context: CliContext,
): Promise<void> {
  const report = await verifyCluster(lake, { signal: context.signal });
  if (!report.ok) context.fail();
  if (json) {
    printJson(context, report);
    return;
  }
  const { out } = context;
  const { loads, slices, records, raw, removals, shards, problems } = report;
  out.write(
    `${counted(loads, "load")}: ${counted(slices, "slice")} with ${counted(records, "record")} and ${counted(raw, "raw item")}\n`,
  );
  if (removals > 0) out.write(`removals: ${formatCount(removals)}\n`);
  if (shards.length > 1)
    for (const { shard, rows } of shards)
      out.write(
        `shard ${shard}: ${counted(rows.records ?? 0, "record")}, ${counted(rows.raw ?? 0, "raw item")}\n`,
      );
  for (const { code, message, remedy } of problems)
    out.write(`${style(out, "red", terminalLine(`${code}: ${message}`))}\n  ${terminalLine(remedy)}\n`);
  out.write(
    report.ok
      ? `${style(out, "green", "No problem found.")}\n`
      : `${style(out, "red", `${counted(problems.length, "problem")}.`)}\n`,
  );
}
