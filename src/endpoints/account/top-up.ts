import { formatUsd, parseUsd } from "../../contract/money.js";
import type { EndpointData, EndpointValues } from "../../contract/service/catalogue.js";
import type { Handler } from "../handler.js";

/** Adds to the sandbox balance. The first top-up raises the rate limit (service.md section 8). */
export const accountTopUp: Handler<EndpointValues<"account.topup">> = async (params, { account }) => {
  const { amount_usd, reference } = params;
  const state = await account.topUp(parseUsd(amount_usd), { reference });
  const data: EndpointData<"account.topup"> = {
    balance_usd: formatUsd(state.balance),
    topped_up: state.toppedUp,
    rate_limit_per_minute: (await account.rate()).limit,
  };
  return { data, empty: false };
};
