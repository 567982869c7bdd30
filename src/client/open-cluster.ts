import type { Account } from "../account/account.js";
import { type ClickHouseAddress, shownClickHouse } from "../clickhouse/clickhouse-address.js";
import { ClickHouseLake } from "../clickhouse/clickhouse-lake.js";
import { clusterRunner } from "../clickhouse/sql/cluster-runner.js";
import { clusterUnsupported } from "../clickhouse/unsupported.js";
import type { LakeHandle } from "../lake/lake-handle.js";
import type { LakeOpenOptions } from "../lake/open/open-view.js";
import { type AccountChoice, accountOf } from "./account-of.js";
import type { QueryRunner } from "./lake-queries.js";

/**
 * Opens a lake on ClickHouse and its account: one on PostgreSQL, or one in memory, because there is no folder.
 * @throws LakeError `lake_not_found`, `lake_empty`, `cluster_*`; UsageError `invalid_lake_address`; SearchError `embedder_differs`
 */
export async function openCluster(
  address: ClickHouseAddress,
  options: AccountChoice & LakeOpenOptions,
): Promise<[LakeHandle, Account, QueryRunner]> {
  const shown = shownClickHouse(address);
  if (options.account === "lake")
    throw clusterUnsupported(
      "An account in the lake's folder",
      shown,
      'Use account: "postgres://…", or "memory".',
    );
  const lake = await ClickHouseLake.open(address, { exact: options.exact, embedder: options.embedder });
  try {
    if (options.account === undefined)
      options.onNotice?.(`${shown} has no account: calls use one in memory, which ends with this process`);
    const account = await accountOf(shown, { ...options, account: options.account ?? "memory" });
    return [lake, account, clusterRunner(lake)];
  } catch (error) {
    await lake.close();
    throw error;
  }
}
