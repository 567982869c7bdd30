import { formatUsd, parseUsd } from "../../contract/money.js";
import type { EndpointData, EndpointValues } from "../../contract/service/catalogue.js";
import type { Handler, HandlerContext } from "../handler.js";

/**
 * Adds to the sandbox balance. The first top-up raises the rate limit (service.md section 8). A call that is repeated with the id that its
 * caller sent adds once, as it is charged once (assumed).
 */
export const accountTopUp: Handler<EndpointValues<"account.topup">> = async (params, context) => {
  const { account } = context;
  const { amount_usd, reference = referenceOf(context) } = params;
  const state = await account.topUp(parseUsd(amount_usd), { reference });
  const data: EndpointData<"account.topup"> = {
    balance_usd: formatUsd(state.balance),
    topped_up: state.toppedUp,
    rate_limit_per_minute: (await account.rate()).limit,
  };
  return { data, empty: false };
};

/** Reference of a top-up that was given none: the same for a call and its repetitions, by the same key with the same parameters. */
function referenceOf({ principal, requestId, digest }: HandlerContext): string | undefined {
  return digest === undefined ? undefined : `request ${requestId} ${principal.keyId} ${digest}`;
}
