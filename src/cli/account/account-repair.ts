import type { Command } from "commander";
import { formatUsd } from "../../contract/money.js";
import { counted } from "../../contract/quantity.js";
import { type CliContext, printJson } from "../context.js";
import { formatDollars } from "../format/format-amount.js";
import { examples, jsonOption, lakeOption, lakePath } from "../options.js";
import type { AccountOptions } from "./account-option.js";

/** Registers `account repair`. */
export function registerAccountRepair(parent: Command, context: CliContext): void {
  const command = parent
    .command("repair")
    .description(
      "Check the account and repair it: keep every readable entry, book an adjustment for the rest, set the damaged file aside.",
    );
  lakeOption(jsonOption(command));
  examples(command, ["account repair", "account repair --lake .mirrorlake/demo --json"]);
  command.action(async (options: AccountOptions) => {
    const { repairAccount } = await import("../../account/repair-account.js");
    const { readSettings } = await import("../../lake/settings.js");
    const lake = lakePath(options, context);
    await readSettings(lake);
    const { rewritten, lostEntries, adjusted } = await repairAccount(lake);
    if (options.json) {
      printJson(context, { rewritten, lost_entries: lostEntries, adjusted_usd: formatUsd(adjusted) });
      return;
    }
    const { out } = context;
    if (rewritten.length === 0) out.write("The ledger is intact.\n");
    for (const path of rewritten)
      out.write(`Rewrote ${path}; the damaged file is kept in account/damaged.\n`);
    if (lostEntries > 0) {
      out.write(
        `${counted(lostEntries, "entry", "entries")} could not be read: ${formatDollars(formatUsd(adjusted))} booked in their place.\n`,
      );
    }
  });
}
