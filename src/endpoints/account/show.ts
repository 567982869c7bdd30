import { formatUsd } from "../../contract/money.js";
import type { EndpointData } from "../../contract/service/catalogue.js";
import { LIMITS } from "../../contract/service/limits.js";
import type { Handler } from "../handler.js";

/** Shows the account: balance, quota, key, and the rate window including this call. */
export const accountShow: Handler = async (_params, { account, principal }) => {
  const { balance, freeQuotaRemaining, toppedUp } = await account.state();
  const { limit, remaining } = await account.rate();
  const data: EndpointData<"account.show"> = {
    account_id: principal.accountId,
    balance_usd: formatUsd(balance),
    topped_up: toppedUp,
    free_quota: { limit: LIMITS.freeCallsPerMonth.value, remaining: freeQuotaRemaining },
    rate: { limit, remaining, window_s: LIMITS.rateWindowMs.value / 1000 },
    key: { id: principal.keyId, scopes: [...principal.scopes] },
  };
  return { data, empty: false };
};
