import { z } from "zod";
import {
  AccountSummary,
  ApiKey,
  KEY_SCOPE_PATTERN,
  LedgerPage,
  NewApiKey,
  TopUp,
  UsageReport,
} from "../account-shapes.js";
import { defineEndpoint } from "../endpoint.js";
import {
  ACCOUNT_WINDOW,
  integer,
  isAccountWindowOrdered,
  ORDERED,
  text,
  uniqueItems,
} from "../shared-params.js";

const COMMON = { group: "account", scope: "account", price: "0.000000" } as const;

/** Account endpoints: the group is specified (service.md section 1), every row assumed (section 4.4). */
export const ACCOUNT_ROWS = [
  defineEndpoint({
    ...COMMON,
    id: "account.show",
    method: "GET",
    path: "/v1/account",
    operation: "account-show",
    summary: "Balance, free quota, rate limit and the key in use.",
    params: () => z.strictObject({}),
    data: AccountSummary,
  }),
  defineEndpoint({
    ...COMMON,
    id: "account.usage",
    method: "GET",
    path: "/v1/account/usage",
    operation: "account-usage",
    summary: "Calls and money by day (Asia/Singapore), endpoint and key.",
    params: () =>
      z
        .strictObject({
          ...ACCOUNT_WINDOW,
          by: uniqueItems(z.enum(["day", "endpoint", "key"])).optional(),
        })
        .refine(isAccountWindowOrdered, ORDERED),
    data: UsageReport,
    example: { by: ["endpoint"] },
  }),
  defineEndpoint({
    ...COMMON,
    id: "account.ledger",
    method: "GET",
    path: "/v1/account/ledger",
    operation: "account-ledger",
    summary: "Entries of the ledger, oldest first; the cursor is the number of the last entry read.",
    params: () =>
      z
        .strictObject({
          ...ACCOUNT_WINDOW,
          cursor: z.number().int().min(0).default(0),
          count: integer(1, 500, 100),
        })
        .refine(isAccountWindowOrdered, ORDERED),
    data: LedgerPage,
    example: { count: 50 },
  }),
  defineEndpoint({
    ...COMMON,
    id: "account.topup",
    method: "POST",
    path: "/v1/account/topup",
    operation: "account-top-up",
    summary: "Adds to the balance; the first top-up lifts the rate limit. A reference is honoured once.",
    params: () =>
      z.strictObject({
        amount_usd: z
          .string()
          .regex(/^[0-9]{1,9}(\.[0-9]{1,6})?$/, "must be USD with at most 6 decimal places, as in 10.000000")
          .refine((amount) => /[1-9]/.test(amount), "must be more than 0"),
        reference: text(1, 200).optional(),
      }),
    data: TopUp,
    example: { amount_usd: "10.000000", reference: "invoice-1" },
  }),
  defineEndpoint({
    ...COMMON,
    id: "account.keys",
    method: "GET",
    path: "/v1/account/keys",
    operation: "account-keys",
    summary: "API keys of the account, newest first; their secrets are not kept.",
    params: () => z.strictObject({ include_revoked: z.boolean().default(true) }),
    data: z.array(ApiKey),
  }),
  defineEndpoint({
    ...COMMON,
    id: "account.keys.create",
    method: "POST",
    path: "/v1/account/keys",
    operation: "account-create-key",
    summary: "Makes an API key. Its secret is in this answer and nowhere else.",
    params: () =>
      z.strictObject({
        name: text(1, 100).optional(),
        scopes: uniqueItems(
          z.string().regex(KEY_SCOPE_PATTERN, "must be search, datasets, account, raw:<platform> or *"),
        ).refine((scopes) => scopes.length > 0, "must name a scope"),
      }),
    data: NewApiKey,
    example: { name: "notebook", scopes: ["search", "raw:short-video"] },
  }),
  defineEndpoint({
    ...COMMON,
    id: "account.keys.revoke",
    method: "POST",
    path: "/v1/account/keys/revoke",
    operation: "account-revoke-key",
    summary: "Revokes an API key; null where the account has none of that id.",
    params: () => z.strictObject({ key_id: z.string().regex(/^\S{1,100}$/, "must be the id of a key") }),
    data: ApiKey.nullable(),
    example: { key_id: "key_1a2B3c4D" },
  }),
] as const;
