import type { Command } from "commander";
import type { InitClusterReport } from "../../clickhouse/cluster/init-cluster.js";
import { type CliContext, printJson } from "../context.js";
import { style } from "../format/terminal-style.js";
import { examples, jsonOption } from "../options.js";
import { addressOption, clusterAddress } from "./cluster-address.js";

interface InitOptions {
  readonly lake?: string;
  readonly cluster?: string;
  readonly replicated?: boolean;
  readonly node?: readonly string[];
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Registers `cluster init`. */
export function registerClusterInit(parent: Command, context: CliContext): void {
  const command = parent
    .command("init")
    .description("Make the tables of a lake in a database that exists; bring older ones up to date.");
  addressOption(command)
    .option(
      "--cluster <name>",
      "spread the rows over the shards of this cluster of the servers' configuration",
    )
    .option(
      "--replicated",
      "make tables that Keeper keeps equal; without it, replicas are written one by one (docs/cluster.md)",
    )
    .option(
      "--node <host:port>",
      "tell each server by itself, instead of ON CLUSTER, which needs Keeper; name them all, the first for writers",
      (node, before: string[] = []) => [...before, node],
    )
    .option("--dry-run", "print the statements, and run none");
  jsonOption(command);
  examples(command, [
    "cluster init --lake clickhouse://me@db.example:8123/lake",
    "cluster init --lake clickhouse://me@db.example:8123/lake --cluster lake --replicated --dry-run",
    "cluster init --lake clickhouse://me@one.example:8123/lake --cluster lake --node one.example:8123 --node two.example:8123 --json",
  ]);
  command.action(async (options: InitOptions) => {
    const { initCluster } = await import("../../clickhouse/cluster/init-cluster.js");
    const { cluster, replicated, node: nodes, dryRun } = options;
    const report = await initCluster({
      lake: clusterAddress(options, context),
      cluster,
      replicated,
      nodes,
      dryRun,
    });
    if (options.json) printJson(context, report);
    else printReport(report, context);
  });
}

const SAID: Readonly<Record<InitClusterReport["state"], string>> = {
  planned: "Nothing was run.",
  made: "The tables are made.",
  upgraded: "The tables are up to date now.",
  present: "The tables are there already.",
};

function printReport({ lake, state, version, statements }: InitClusterReport, { out }: CliContext): void {
  if (state === "planned")
    for (const { on, sql } of statements) {
      const where = on === "all" ? "-- on every server\n" : "";
      out.write(`${where}${sql.replace(/\s+/g, " ")};\n`);
    }
  out.write(`${style(out, "bold", SAID[state])} ${lake}, version ${version}\n`);
}
