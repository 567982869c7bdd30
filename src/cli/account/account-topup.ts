import type { Command } from "commander";
import { DiskError } from "../../contract/errors.js";
import { formatUsd, parseUsd } from "../../contract/money.js";
import { counted } from "../../contract/quantity.js";
import { escapedJson } from "../../contract/whole-json.js";
import type { CliContext } from "../context.js";
import { formatDollars } from "../format/format-amount.js";
import { accountOption, examples, jsonOption, lakeOption } from "../options.js";
import { type AccountOptions, withAccount } from "./account-option.js";
import { accountSummary } from "./account-show.js";
import { afterDone } from "./after-done.js";

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
      const shown = formatDollars(formatUsd(balance));
      const text = options.json
        ? escapedJson(await accountSummary(account))
        : `Balance ${shown}, ${counted((await account.rate()).limit, "call")} a minute.`;
      await context.out.deliver(`${text}\n`).catch((error: unknown) => {
        if (hasNoReader(error)) return;
        throw afterDone(error, `The top-up was made, the balance is ${shown}`, "see it by account show");
      });
    }),
  );
}

/** Whether what a command prints has lost its reader, which is no failure of the command. */
function hasNoReader(error: unknown): boolean {
  return error instanceof DiskError && error.value === "EPIPE";
}
