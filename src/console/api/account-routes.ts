import { z } from "zod";
import type { UsageRow } from "../../account/usage.js";
import { formatUsd, parseUsd } from "../../contract/money.js";
import { KEY_SCOPE_PATTERN } from "../../contract/service/account-shapes.js";
import { LIMITS } from "../../contract/service/limits.js";
import { keyAnswer } from "../../endpoints/account/keys.js";
import { ledgerItem } from "../../endpoints/account/ledger.js";
import type {
  AccountAnswer,
  KeyAnswer,
  LedgerAnswer,
  NewKeyAnswer,
  UsageAnswer,
  UsageGroupAnswer,
} from "../answers.js";
import { CONSOLE_DEFAULTS } from "../defaults.js";
import { route } from "../route.js";
import { numberParam } from "../shared-params.js";

const DAY_MS = 86_400_000;

/** The keys, newest first. */
export const keysRoute = route({
  method: "GET",
  path: "keys",
  params: z.strictObject({}),
  answer: async (_params, { lake }): Promise<readonly KeyAnswer[]> =>
    (await lake.account.listKeys()).map(keyAnswer),
});

/** Makes a key (service.md section 5). Its secret is in this answer and nowhere else. */
export const createKeyRoute = route({
  method: "POST",
  path: "keys/create",
  params: z.strictObject({
    name: z.string().trim().max(100).default(""),
    scopes: z
      .array(z.string().regex(KEY_SCOPE_PATTERN, "must be search, datasets, account, raw:<platform> or *"))
      .min(1, "must name a scope")
      .max(100),
  }),
  answer: async ({ name, scopes }, { lake }): Promise<NewKeyAnswer> => {
    const key = await lake.account.createKey({ name, scopes: [...new Set(scopes)] });
    return { ...keyAnswer(key), api_key: key.apiKey };
  },
});

/** Revokes a key. */
export const revokeKeyRoute = route({
  method: "POST",
  path: "keys/revoke",
  params: z.strictObject({ id: z.string().max(100) }),
  answer: async ({ id }, { lake }): Promise<KeyAnswer> => keyAnswer(await lake.account.revokeKey(id)),
});

/** The state of the account. */
export const accountRoute = route({
  method: "GET",
  path: "account",
  params: z.strictObject({}),
  answer: async (_params, { lake: { account } }): Promise<AccountAnswer> => {
    const [state, rate] = [await account.state(), await account.rate()];
    return {
      account_id: account.accountId,
      balance_usd: formatUsd(state.balance),
      topped_up: state.toppedUp,
      free_limit: LIMITS.freeCallsPerMonth.value,
      free_remaining: state.freeQuotaRemaining,
      rate_limit: rate.limit,
      rate_remaining: rate.remaining,
    };
  },
});

/** Calls and money of the last days, by day and by endpoint. */
export const usageRoute = route({
  method: "GET",
  path: "usage",
  params: z.strictObject({ days: numberParam(1, 366).default(30) }),
  answer: async ({ days }, { lake: { account } }): Promise<UsageAnswer> => {
    const fromMs = Date.now() - days * DAY_MS;
    const rows = await account.usage({ fromMs, by: ["day", "endpoint"] });
    return { days: grouped(rows, "day"), endpoints: grouped(rows, "endpoint") };
  },
});

function grouped(rows: readonly UsageRow[], by: "day" | "endpoint"): UsageGroupAnswer[] {
  const groups = new Map<string, UsageRow>();
  for (const row of rows) {
    const name = row[by] ?? "";
    const sum = groups.get(name);
    groups.set(
      name,
      sum === undefined
        ? row
        : {
            ...row,
            calls: sum.calls + row.calls,
            charged: sum.charged + row.charged,
            free: sum.free + row.free,
            empty: sum.empty + row.empty,
            errors: sum.errors + row.errors,
            spent: (sum.spent + row.spent) as UsageRow["spent"],
          },
    );
  }
  return [...groups].map(([name, { calls, charged, free, empty, errors, spent }]) => ({
    name,
    calls,
    charged,
    free,
    empty,
    errors,
    spent_usd: formatUsd(spent),
  }));
}

/** The newest entries of the ledger. */
export const ledgerRoute = route({
  method: "GET",
  path: "ledger",
  params: z.strictObject({ count: numberParam(1, 1_000).default(CONSOLE_DEFAULTS.recentCalls) }),
  answer: async ({ count }, { lake: { account } }): Promise<LedgerAnswer> => {
    const items: LedgerAnswer["items"][number][] = [];
    for await (const entry of account.entries({ newest: count })) {
      items.push(ledgerItem(entry));
    }
    return { items: items.reverse() };
  },
});

/** Adds to the sandbox balance. */
export const topUpRoute = route({
  method: "POST",
  path: "account/topup",
  params: z.strictObject({
    amount_usd: z
      .string()
      .regex(/^[0-9]{1,9}(\.[0-9]{1,6})?$/, "must be USD with at most 6 decimal places, as in 10.000000"),
  }),
  answer: async ({ amount_usd }, { lake: { account } }): Promise<{ balance_usd: string }> => {
    const state = await account.topUp(parseUsd(amount_usd));
    return { balance_usd: formatUsd(state.balance) };
  },
});
