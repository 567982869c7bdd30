import { type Command, Option } from "commander";
import type { UsageGroup, UsageRow } from "../../account/usage.js";
import { formatUsd } from "../../contract/money.js";
import { counted, formatCount } from "../../contract/quantity.js";
import { accountWindowOf, type WindowParams } from "../../contract/service/shared-params.js";
import { type CliContext, printJson } from "../context.js";
import { formatDollars } from "../format/format-amount.js";
import { formatTable } from "../format/format-table.js";
import { style } from "../format/terminal-style.js";
import { accountOption, examples, jsonOption, lakeOption } from "../options.js";
import { type AccountOptions, withAccount } from "./account-option.js";
import { ledgerWindowOptions } from "./ledger-window.js";

interface UsageOptions extends AccountOptions, WindowParams {
  readonly by?: readonly UsageGroup[];
}

const GROUPS = ["day", "endpoint", "key"] as const;

/** Registers `account usage`. */
export function registerAccountUsage(parent: Command, context: CliContext): void {
  const command = parent
    .command("usage")
    .description("Count calls and money by day (Asia/Singapore), endpoint and key.")
    .addOption(
      new Option("--by <groups...>", "groups to count by; several are combined")
        .choices(GROUPS)
        .default(["day", "endpoint"]),
    );
  accountOption(lakeOption(jsonOption(ledgerWindowOptions(command))));
  examples(command, [
    "account usage",
    "account usage --by endpoint --from 2026-05-01",
    "account usage --by day key --json",
  ]);
  command.action((options: UsageOptions) =>
    withAccount(options, context, async (account) => {
      const by = options.by ?? GROUPS;
      const rows = await account.usage({ ...accountWindowOf(options), by });
      const calls = rows.reduce((sum, row) => sum + row.calls, 0);
      const spent = formatUsd(rows.reduce((sum, row) => sum + row.spent, 0n));
      if (options.json) {
        const items = rows.map(({ spent: own, ...row }) => ({ ...row, spent_usd: formatUsd(own) }));
        return printJson(context, { items, calls, spent_usd: spent });
      }
      const { out } = context;
      if (rows.length === 0) return out.write("No call.\n");
      out.write(table(rows, by, out.columns));
      out.write(`${style(out, "dim", `${counted(calls, "call")} · spent ${formatDollars(spent)}`)}\n`);
    }),
  );
}

function table(rows: readonly UsageRow[], by: readonly UsageGroup[], width: number): string {
  const groups = GROUPS.filter((group) => by.includes(group));
  const counts = ["calls", "charged", "free", "empty", "errors"] as const;
  const columns = [
    ...groups.map((header) => ({ header, grow: header === "endpoint" })),
    ...counts.map((header) => ({ header, align: "right" as const })),
    { header: "spent", align: "right" as const },
  ];
  const cells = rows.map((row) => [
    ...groups.map((group) => row[group] || "–"),
    ...counts.map((name) => formatCount(row[name])),
    formatDollars(formatUsd(row.spent)),
  ]);
  return formatTable(columns, cells, width);
}
