import type { ReleaseOutcome } from "./account.js";
import type { EntryDraft } from "./books.js";

/** Codes of calls that end before the minute window is asked, or are turned away by it. */
const BEFORE_THE_RATE: ReadonlySet<string> = new Set([
  "invalid_api_key",
  "not_found",
  "forbidden",
  "invalid_params",
  "rate_limited",
]);

/** The ledger entry of a call that is not charged: empty, failed or refused. `rated` marks one that the minute counted. */
export function uncharged(
  key: string,
  endpoint: string | undefined,
  request: string,
  outcome: ReleaseOutcome,
  rated: { readonly rated?: true },
): EntryDraft {
  return {
    kind: "call",
    amount: "0",
    key,
    outcome: outcome === "empty" ? "empty" : "error",
    endpoint,
    ...(request === "" ? {} : { request }),
    ...(outcome === "empty" ? {} : { code: outcome }),
    ...(BEFORE_THE_RATE.has(outcome) ? {} : rated),
  };
}
