import type { Account } from "../../account/account.js";
import { terminalLine } from "../../contract/terminal-text.js";
import type { CliContext } from "../context.js";
import { accountAddress, existingLakePath } from "../options.js";

/** Options of every command that works on an account. */
export interface AccountOptions {
  readonly lake?: string;
  readonly account?: string;
  readonly json?: boolean;
}

/**
 * Opens the account that the options name, on PostgreSQL or of a lake, passes it to `use` with the lake's folder if it is of one, and
 * always closes it.
 */
export async function withAccount(
  options: AccountOptions,
  context: CliContext,
  use: (account: Account, lake: string | undefined) => Promise<void>,
): Promise<void> {
  const { account, lake } = await openNamed(options, context);
  try {
    await use(account, lake);
  } finally {
    await account.close();
  }
}

interface Named {
  readonly account: Account;
  readonly lake?: string;
}

async function openNamed(options: AccountOptions, context: CliContext): Promise<Named> {
  const address = accountAddress(options, context);
  if (address !== undefined) {
    const { openPostgresAccount } = await import("../../account/open-postgres-account.js");
    return { account: await openPostgresAccount(address) };
  }
  const { openAccount } = await import("../../account/open-account.js");
  const { readSettings } = await import("../../lake/settings.js");
  const lake = await existingLakePath(options, context);
  await readSettings(lake);
  const account = await openAccount(lake, {
    durability: "strict",
    onNotice: (message) => context.err.write(`${terminalLine(message)}\n`),
  });
  return { account, lake };
}
