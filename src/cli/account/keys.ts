import type { Command } from "commander";
import type { Account } from "../../account/account.js";
import type { ApiKeyInfo } from "../../account/api-key.js";
import { escapedJson } from "../../contract/whole-json.js";
import { type CliContext, printJson } from "../context.js";
import { formatTable } from "../format/format-table.js";
import { style } from "../format/terminal-style.js";
import { accountOption, examples, jsonOption, lakeOption, list } from "../options.js";
import { type AccountOptions, withAccount } from "./account-option.js";
import { afterDone } from "./after-done.js";

/** Registers `keys create | list | revoke`: the API keys of a lake's account. */
export function registerKeys(program: Command, context: CliContext): void {
  const keys = program
    .command("keys")
    .description("Create, list and revoke the API keys of a lake's account.");
  registerCreate(keys, context);
  registerList(keys, context);
  registerRevoke(keys, context);
}

function registerCreate(keys: Command, context: CliContext): void {
  const command = keys
    .command("create")
    .description("Create an API key. It is shown once: only its SHA-256 is stored.")
    .option(
      "--scope <scopes>",
      "search, raw:<platform>, datasets, account, or * for all (the default); repeat or use commas",
      list,
    )
    .option("--name <text>", "what the key is for");
  accountOption(lakeOption(jsonOption(command)));
  examples(command, [
    "keys create",
    "keys create --scope search,raw:short-video --name notebook",
    "keys create --scope datasets --lake .mirrorlake/demo --json",
  ]);
  command.action((options: AccountOptions & { readonly scope?: readonly string[]; readonly name?: string }) =>
    withAccount(options, context, async (account) => {
      const { scope = ["*"], name } = options;
      const key = await account.createKey({ scopes: scope, name });
      const { apiKey, ...info } = key;
      const { out } = context;
      const note = `${info.id} · ${info.scopes.join(", ")} · keep it: it is not shown again`;
      const shown = options.json
        ? `${escapedJson({ ...info, api_key: apiKey })}\n`
        : `${style(out, "bold", apiKey)}\n${style(out, "dim", note)}\n`;
      await out.deliver(shown).catch((error: unknown) => takeBack(account, info.id, error));
    }),
  );
}

/** Revokes a key that could not be shown: it would be valid, and in no hands. @throws DiskError why it could not be */
async function takeBack(account: Account, id: string, error: unknown): Promise<never> {
  await account.revokeKey(id);
  throw afterDone(error, `Key ${id}, which was not shown, is revoked`, "create another key");
}

function registerList(keys: Command, context: CliContext): void {
  const command = keys
    .command("list")
    .description("List API keys, newest first, without their secrets.")
    .option("--all", "include revoked keys");
  accountOption(lakeOption(jsonOption(command)));
  examples(command, ["keys list", "keys list --all --json"]);
  command.action((options: AccountOptions & { readonly all?: boolean }) =>
    withAccount(options, context, async (account) => {
      const shown = (await account.listKeys()).filter((key) => options.all || key.revoked_at === undefined);
      if (options.json) return printJson(context, shown);
      context.out.write(
        shown.length === 0 ? "No key. Create one: mirrorlake keys create\n" : table(shown, context),
      );
    }),
  );
}

function registerRevoke(keys: Command, context: CliContext): void {
  const command = keys
    .command("revoke")
    .description("Revoke an API key permanently; every process that serves the lake then refuses it.")
    .argument("<key-id>", "id of the key, as `keys list` shows it");
  accountOption(lakeOption(jsonOption(command)));
  examples(command, ["keys revoke key_1a2B3c4D"]);
  command.action((keyId: string, options: AccountOptions) =>
    withAccount(options, context, async (account) => {
      const key = await account.revokeKey(keyId);
      if (options.json) return printJson(context, key);
      context.out.write(`Revoked ${key.id}${key.name === "" ? "" : ` (${key.name})`}.\n`);
    }),
  );
}

function table(keys: readonly ApiKeyInfo[], context: CliContext): string {
  const columns = [
    { header: "id" },
    { header: "name", grow: true },
    { header: "scopes", grow: true },
    { header: "created" },
    { header: "revoked" },
  ];
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.scopes.join(", "),
    key.created_at.slice(0, 16).replace("T", " "),
    key.revoked_at?.slice(0, 16).replace("T", " ") ?? "",
  ]);
  return formatTable(columns, rows, context.out.columns);
}
