import type { Command } from "commander";
import type { Account } from "../../account/account.js";
import { nextSingaporeMonth } from "../../account/singapore-calendar.js";
import { formatUsd } from "../../contract/money.js";
import { counted, formatCount } from "../../contract/quantity.js";
import { LIMITS } from "../../contract/service/limits.js";
import { type CliContext, printJson } from "../context.js";
import { formatDollars } from "../format/format-amount.js";
import { accountOption, examples, jsonOption, lakeOption } from "../options.js";
import { type AccountOptions, withAccount } from "./account-option.js";

/** Registers `account show`. */
export function registerAccountShow(parent: Command, context: CliContext): void {
  const command = parent.command("show").description("Show the balance, the free quota and the rate limit.");
  accountOption(lakeOption(jsonOption(command)));
  examples(command, ["account show", "account show --lake .mirrorlake/demo --json"]);
  command.action((options: AccountOptions) =>
    withAccount(options, context, async (account) => {
      const summary = await accountSummary(account);
      if (options.json) return printJson(context, summary);
      context.out.write(describe(summary));
    }),
  );
}

/** The account as `GET /v1/account` reports it, with the instant when the free quota resets. */
export async function accountSummary(account: Account) {
  const { balance, freeQuotaRemaining, toppedUp } = await account.state();
  const { limit, remaining } = await account.rate();
  return {
    account_id: account.accountId,
    balance_usd: formatUsd(balance),
    topped_up: toppedUp,
    free_quota: {
      limit: LIMITS.freeCallsPerMonth.value,
      remaining: freeQuotaRemaining,
      resets_at: new Date(nextSingaporeMonth(Date.now())).toISOString(),
    },
    rate: { limit, remaining, window_s: LIMITS.rateWindowMs.value / 1000 },
  };
}

function describe(summary: Awaited<ReturnType<typeof accountSummary>>): string {
  const { free_quota: quota, rate } = summary;
  const lift = summary.topped_up
    ? ""
    : ` (${LIMITS.requestsPerMinuteToppedUp.value} after the first: mirrorlake account topup)`;
  return [
    `Balance     ${formatDollars(summary.balance_usd)}`,
    `Free quota  ${formatCount(quota.remaining)} of ${counted(quota.limit, "call")} left, full again at ${quota.resets_at.slice(0, 16)}Z`,
    `Rate        ${rate.remaining} of ${counted(rate.limit, "call")} left this minute${lift}`,
    "",
  ].join("\n");
}
