import { formatUsd } from "../../contract/money.js";
import type { EndpointData, EndpointValues } from "../../contract/service/catalogue.js";
import { accountWindowOf } from "../../contract/service/shared-params.js";
import type { Handler } from "../handler.js";

/** Counts calls and money by day, endpoint and key, or by the requested ones of these. */
export const accountUsage: Handler<EndpointValues<"account.usage">> = async (
  { from, to, by },
  { account },
) => {
  const rows = await account.usage({
    ...accountWindowOf({ from, to }),
    by,
  });
  const data: EndpointData<"account.usage"> = {
    items: rows.map(({ spent, ...row }) => ({ ...row, spent_usd: formatUsd(spent) })),
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    spent_usd: formatUsd(rows.reduce((sum, { spent }) => sum + spent, 0n)),
  };
  return { data, empty: rows.length === 0 };
};
