import { z } from "zod";
import { Timestamp } from "./unified-record.js";

/*
 * Answers of the account endpoints. service.md names only the group (section 4.4): all assumed. Amounts are
 * USD with 6 decimal places, as in `meta` (section 2.1).
 */

const usd = z.string().regex(/^-?[0-9]+\.[0-9]{6}$/, "must be an amount in USD with 6 decimal places");
const count = z.number().int().min(0);

/** Scope of a key (service.md section 5; `datasets`, `account` and `*` are assumed). */
export const KEY_SCOPE_PATTERN = /^(search|datasets|account|\*|raw:[a-z][a-z0-9-]{0,39})$/;

/** The current state of the account. */
export const AccountSummary = z.strictObject({
  account_id: z.string(),
  balance_usd: usd,
  topped_up: z.boolean(),
  free_quota: z.strictObject({ limit: count, remaining: count }),
  rate: z.strictObject({ limit: count, remaining: count, window_s: count }),
  key: z.strictObject({ id: z.string(), scopes: z.array(z.string()) }),
});

/** Calls and money by group. */
export const UsageReport = z.strictObject({
  items: z.array(
    z.strictObject({
      day: z.iso.date().optional(),
      endpoint: z.string().optional(),
      key: z.string().optional(),
      calls: count,
      charged: count,
      free: count,
      empty: count,
      errors: count,
      spent_usd: usd,
    }),
  ),
  calls: count,
  spent_usd: usd,
});

/** A page of the ledger. */
export const LedgerPage = z.strictObject({
  items: z.array(
    z.strictObject({
      seq: z.number().int().min(1),
      at: Timestamp,
      kind: z.string(),
      amount_usd: usd,
      balance_usd: usd,
      outcome: z.string().optional(),
      endpoint: z.string().optional(),
      key: z.string().optional(),
      request_id: z.string().optional(),
      code: z.string().optional(),
      reference: z.string().optional(),
    }),
  ),
  cursor: count,
  has_more: z.boolean(),
});

/** An API key without its secret. */
export const ApiKey = z.strictObject({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  created_at: Timestamp,
  revoked_at: Timestamp.nullable(),
});

/** A new API key. Only this answer contains the secret. */
export const NewApiKey = ApiKey.extend({ api_key: z.string() });

/** The balance after a top-up. */
export const TopUp = z.strictObject({
  balance_usd: usd,
  topped_up: z.boolean(),
  rate_limit_per_minute: count,
});
