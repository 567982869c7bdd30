import type { LedgerEntry } from "../../account/ledger-entry.js";
import { formatUsd } from "../../contract/money.js";
import { omitUndefined } from "../../contract/omit-undefined.js";
import type { EndpointData, EndpointValues } from "../../contract/service/catalogue.js";
import { accountWindowOf } from "../../contract/service/shared-params.js";
import type { Handler } from "../handler.js";

type Entry = EndpointData<"account.ledger">["items"][number];

/** An entry of the ledger as answers have it. */
export function ledgerItem(entry: LedgerEntry): Entry {
  const { seq, at, kind, amount, balance, request, outcome, endpoint, key, code, reference } = entry;
  return omitUndefined({
    seq,
    at: new Date(at).toISOString(),
    kind,
    amount_usd: formatUsd(BigInt(amount)),
    balance_usd: formatUsd(BigInt(balance)),
    outcome,
    endpoint,
    key,
    request_id: request,
    code,
    reference,
  });
}

/** Lists the ledger, oldest first. `cursor` is the number of the last entry read, so no entry is missed or repeated. */
export const accountLedger: Handler<EndpointValues<"account.ledger">> = async (params, context) => {
  const { from, to, cursor, count } = params;
  const window = accountWindowOf({ from, to });
  const items: Entry[] = [];
  let more = false;
  for await (const entry of context.account.entries({ ...window, afterSeq: cursor })) {
    context.signal?.throwIfAborted();
    more = items.length === count;
    if (more) break;
    items.push(ledgerItem(entry));
  }
  return {
    data: { items, cursor: items.at(-1)?.seq ?? cursor, has_more: more },
    empty: items.length === 0,
  };
};
