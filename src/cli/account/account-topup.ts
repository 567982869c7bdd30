import type { Command } from "commander";
import { formatUsd, parseUsd } from "../../contract/money.js";
import { counted } from "../../contract/quantity.js";
import { type CliContext, printJson } from "../context.js";
import { formatDollars } from "../format/format-amount.js";
import { accountOption, examples, jsonOption, lakeOption } from "../options.js";
import { type AccountOptions, withAccount } from "./account-option.js";
import { accountSummary } from "./account-show.js";

/** Registers `account topup`. */
export function registerAccountTopUp(parent: Command, context: CliContext): void {
  const command = parent
    .command("topup")
    .description("Add to the sandbox balance. Nothing is paid; the first top-up lifts the rate limit.")
    .argument("<usd>", "amount in USD, at most six decimal places")
    .option("--reference <text>", "name of the top-up; a second top-up with the same name adds nothing");
  accountOption(lakeOption(jsonOption(command)));
  examples(command, ["account topup 25", "account topup 9.99 --reference invoice-7 --json"]);
  command.action((usd: string, options: AccountOptions & { readonly reference?: string }) =>
    withAccount(options, context, async (account) => {
      const { reference } = options;
      const { balance } = await account.topUp(parseUsd(usd), { reference });
      if (options.json) return printJson(context, await accountSummary(account));
      const { limit } = await account.rate();
      context.out.write(
        `Balance ${formatDollars(formatUsd(balance))}, ${counted(limit, "call")} a minute.\n`,
      );
    }),
  );
}
