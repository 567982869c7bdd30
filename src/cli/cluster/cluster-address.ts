import type { Command } from "commander";
import type { ClickHouseAddress } from "../../clickhouse/clickhouse-address.js";
import { UsageError } from "../../contract/errors.js";
import type { CliContext } from "../context.js";
import { clickHouseLake } from "../options.js";

/** Adds `--lake <address>`; read it back with {@link clusterAddress}. */
export function addressOption(command: Command): Command {
  return command.option(
    "--lake <address>",
    "lake on ClickHouse, clickhouse://user:password@host:8123/database; further servers as host:8123,host:8123 (default: $MIRRORLAKE_LAKE)",
  );
}

/** Address of the lake. @throws UsageError `cluster_needed` */
export function clusterAddress(options: { readonly lake?: string }, context: CliContext): ClickHouseAddress {
  const address = clickHouseLake(options, context);
  if (address !== undefined) return address;
  throw new UsageError("cluster_needed", "This command works on a lake on ClickHouse", {
    value: options.lake ?? "",
    remedy: "Name its address: --lake clickhouse://user@host:8123/database, or set MIRRORLAKE_LAKE.",
  });
}
