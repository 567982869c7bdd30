import { formatUsd } from "../contract/money.js";
import type { EndpointData, EndpointValues } from "../contract/service/catalogue.js";
import { windowOf } from "./generic-params.js";
import type { Handler } from "./handler.js";

type Entry = EndpointData<"account.ledger">["items"][number];

/** A page of the ledger, oldest first. `cursor` is the number of the last entry read, so no entry is missed or repeated. */
export const accountLedger: Handler<EndpointValues<"account.ledger">> = async (params, context) => {
  const { from, to, cursor, count } = params;
  const window = windowOf({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) });
  const items: Entry[] = [];
  let more = false;
  for await (const entry of context.account.entries({ ...window, afterSeq: cursor })) {
    context.signal?.throwIfAborted();
    more = items.length === count;
    if (more) break;
    const { seq, at, kind, amount, balance, request, outcome, endpoint, key, code, reference } = entry;
    items.push({
      seq,
      at: new Date(at).toISOString(),
      kind,
      amount_usd: formatUsd(BigInt(amount)),
      balance_usd: formatUsd(BigInt(balance)),
      ...(outcome === undefined ? {} : { outcome }),
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(key === undefined ? {} : { key }),
      ...(request === undefined ? {} : { request_id: request }),
      ...(code === undefined ? {} : { code }),
      ...(reference === undefined ? {} : { reference }),
    });
  }
  return {
    data: { items, cursor: items.at(-1)?.seq ?? cursor, has_more: more },
    empty: items.length === 0,
  };
};
