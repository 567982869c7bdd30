import { formatUsd, type MicroUsd, micros, parseUsd, ZERO_USD } from "../contract/money.js";
import { safeJson } from "../contract/safe-json.js";
import type { TransportResponse } from "./answer.js";
import { CLIENT_DEFAULTS } from "./defaults.js";

/** What a call counts in the budget. */
export interface StatedCharge {
  readonly charged: MicroUsd;
  /** What is doubtful about the answer's own statement; undefined if it states the price or nothing. */
  readonly doubt?: string;
}

const AMOUNT = /^\d{1,15}(\.\d{1,6})?$/;

/**
 * Reads what an answer says that it was charged (service.md section 2.1). Only a 200 is charged. A statement that is no
 * amount, is negative or beyond all reason counts the catalogue's price instead, so that no remote lowers what was spent or
 * uses a budget up by a word. Another amount than the price counts as stated. Both are doubts.
 */
export function statedCharge({ status, body }: TransportResponse, price: MicroUsd): StatedCharge {
  if (status !== 200) return { charged: ZERO_USD };
  const stated = (body as { meta?: { charged_usd?: unknown } | null } | null)?.meta?.charged_usd;
  const amount = typeof stated === "string" && AMOUNT.test(stated) ? parseUsd(stated) : undefined;
  const most = micros((price > 0n ? price : CLIENT_DEFAULTS.freeCallDoubt) * CLIENT_DEFAULTS.chargeFactor);
  if (amount === undefined || amount > most) {
    const words = JSON.stringify(safeJson(stated))?.slice(0, 100) ?? "nothing";
    const counted = `the catalogue's price, ${formatUsd(price)} USD, counts`;
    return { charged: price, doubt: `it says that it was charged ${words}; ${counted}` };
  }
  if (amount === ZERO_USD || amount === price) return { charged: amount };
  const catalogue = `the catalogue's price is ${formatUsd(price)} USD`;
  return { charged: amount, doubt: `it was charged ${formatUsd(amount)} USD; ${catalogue}` };
}
