import { LakeError } from "../contract/errors.js";

/**
 * Loads the optional peer `@clickhouse/client`.
 * @throws LakeError `cluster_driver_missing`
 */
export async function loadClickHouseClient(): Promise<
  Pick<typeof import("@clickhouse/client"), "createClient" | "ClickHouseLogLevel">
> {
  try {
    return await import("@clickhouse/client");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new LakeError(
      "cluster_driver_missing",
      "A lake on ClickHouse needs the package @clickhouse/client",
      {
        value: "@clickhouse/client",
        cause: error,
        remedy: "Run `npm install @clickhouse/client`.",
      },
    );
  }
}
