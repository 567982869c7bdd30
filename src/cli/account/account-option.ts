import type { Account } from "../../account/account.js";
import { terminalLine } from "../../contract/terminal-text.js";
import type { CliContext } from "../context.js";
import { existingLakePath } from "../options.js";

/** Options of every command that works on a lake's account. */
export interface AccountOptions {
  readonly lake?: string;
  readonly json?: boolean;
}

/** Opens the account of the lake that the options name, passes it to `use`, and always closes it. */
export async function withAccount(
  options: AccountOptions,
  context: CliContext,
  use: (account: Account) => Promise<void>,
): Promise<void> {
  const { openAccount } = await import("../../account/open-account.js");
  const { readSettings } = await import("../../lake/settings.js");
  const lake = await existingLakePath(options, context);
  await readSettings(lake);
  const account = await openAccount(lake, {
    durability: "strict",
    onNotice: (message) => context.err.write(`${terminalLine(message)}\n`),
  });
  try {
    await use(account);
  } finally {
    await account.close();
  }
}
