import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { registerClusterInit } from "./cluster-init.js";
import { registerClusterStatus } from "./cluster-status.js";

/** Registers `cluster init | status`: the tables of a lake on ClickHouse. */
export function registerCluster(program: Command, context: CliContext): void {
  const cluster = program
    .command("cluster")
    .description("Make the tables of a lake on ClickHouse, on one server or many, and show their state.");
  registerClusterInit(cluster, context);
  registerClusterStatus(cluster, context);
}
