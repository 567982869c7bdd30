import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { registerAccountExport } from "./account-export.js";
import { registerAccountRepair } from "./account-repair.js";
import { registerAccountShow } from "./account-show.js";
import { registerAccountTopUp } from "./account-topup.js";
import { registerAccountUsage } from "./account-usage.js";

/** Registers `account show | topup | usage | export | repair`: balance, quota, ledger. */
export function registerAccount(program: Command, context: CliContext): void {
  const account = program
    .command("account")
    .description("Balance, free quota, usage and ledger of a lake's account.");
  registerAccountShow(account, context);
  registerAccountTopUp(account, context);
  registerAccountUsage(account, context);
  registerAccountExport(account, context);
  registerAccountRepair(account, context);
}
