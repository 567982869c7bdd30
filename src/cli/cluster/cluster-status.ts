import type { Command } from "commander";
import type { ClusterStatus } from "../../clickhouse/cluster/cluster-status.js";
import { counted, formatCount } from "../../contract/quantity.js";
import { type CliContext, printJson } from "../context.js";
import { formatTable } from "../format/format-table.js";
import { style } from "../format/terminal-style.js";
import { examples, jsonOption } from "../options.js";
import { addressOption, clusterAddress } from "./cluster-address.js";

interface StatusOptions {
  readonly lake?: string;
  readonly json?: boolean;
}

/** Registers `cluster status`. */
export function registerClusterStatus(parent: Command, context: CliContext): void {
  const command = parent
    .command("status")
    .description(
      "Show versions, tables, rows, loads and replicas of a lake on ClickHouse; missing tables fail.",
    );
  jsonOption(addressOption(command));
  examples(command, [
    "cluster status --lake clickhouse://me@db.example:8123/lake",
    "cluster status --lake clickhouse://me@db.example:8123/lake --json",
  ]);
  command.action(async (options: StatusOptions) => {
    const { clusterStatus } = await import("../../clickhouse/cluster/cluster-status.js");
    const status = await clusterStatus(clusterAddress(options, context));
    if (status.missing.length > 0) context.fail();
    if (options.json) printJson(context, status);
    else printStatus(status, context);
  });
}

function printStatus(status: ClusterStatus, { out }: CliContext): void {
  const { lake, server, version, layout, loads, tables, missing, unfinished, replicas, removals } = status;
  out.write(`${style(out, "bold", lake)}: ClickHouse ${server}, tables of version ${version.tables}\n`);
  if (version.tables < version.program)
    out.write(`mirrorlake cluster init brings them to version ${version.program}\n`);
  if (layout !== undefined)
    out.write(`cluster ${layout.cluster}${layout.replicated ? ", with replicas" : ""}\n`);
  const installs = loads.filter(({ kind }) => kind === "install").length;
  out.write(
    `${counted(installs, "install")}, ${counted(loads.length - installs, "removal")}; ${counted(removals, "removed key")}\n`,
  );
  out.write(
    formatTable(
      [
        { header: "server" },
        { header: "table" },
        ...["rows", "bytes", "parts"].map((header) => ({ header, align: "right" as const })),
      ],
      tables.map(({ server, table, rows, bytes, parts }) => [
        server,
        table,
        formatCount(rows),
        formatCount(bytes),
        formatCount(parts),
      ]),
      out.columns,
    ),
  );
  for (const { server, table } of missing)
    out.write(`${style(out, "red", "missing")}: ${table} on ${server}\n`);
  for (const { load, records } of unfinished)
    out.write(`load ${load} is not complete: ${counted(records, "record")}, not visible\n`);
  for (const { server, table, delayS, queue, readOnly } of replicas)
    if (delayS > 0 || queue > 0 || readOnly)
      out.write(
        `${table} on ${server}: ${delayS} s behind, ${queue} to do${readOnly ? ", read-only" : ""}\n`,
      );
}
