import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { exportLedger, type LedgerExportFormat } from "../../account/ledger-export.js";
import { counted } from "../../contract/quantity.js";
import { accountWindowOf, type WindowParams } from "../../contract/service/shared-params.js";
import { type CliContext, printJson } from "../context.js";
import { createProgress } from "../format/progress.js";
import { accountOption, examples, jsonOption, lakeOption } from "../options.js";
import { type AccountOptions, withAccount } from "./account-option.js";
import { ledgerWindowOptions } from "./ledger-window.js";

interface ExportOptions extends AccountOptions, WindowParams {
  readonly format: LedgerExportFormat;
  readonly out?: string;
}

/** Registers `account export`. */
export function registerAccountExport(parent: Command, context: CliContext): void {
  const command = parent
    .command("export")
    .description("Write the ledger, one line per entry, to standard output or a file.")
    .addOption(new Option("--format <name>", "JSON Lines or CSV").choices(["jsonl", "csv"]).default("jsonl"))
    .option("--out <file>", "file to write; it appears only when complete");
  accountOption(lakeOption(jsonOption(ledgerWindowOptions(command))));
  examples(command, [
    "account export > ledger.jsonl",
    "account export --format csv --from 2026-05-01 --to 2026-05-31 --out may.csv",
  ]);
  command.action((options: ExportOptions) =>
    withAccount(options, context, async (account, lake) => {
      const lines = exportLedger(account.entries(accountWindowOf(options)), options.format);
      if (options.out === undefined) {
        for await (const line of lines) {
          context.signal.throwIfAborted();
          await context.out.drained(context.signal);
          context.out.data(line);
        }
        return;
      }
      const path = resolve(context.cwd, options.out);
      const { writingTo } = await import("../../files/writing-to.js");
      const { replaceOutput } = await import("../../files/replace-output.js");
      const write = (temporary: string) => writeLines(temporary, lines, context);
      const written = await writingTo(path, () => replaceOutput(path, write, { lake }));
      const entries = written - (options.format === "csv" ? 1 : 0);
      if (options.json) printJson(context, { file: path, entries });
      else context.out.write(`${counted(entries, "entry", "entries")} written to ${path}\n`);
    }),
  );
}

/** Writes lines into a file, and returns their number. */
async function writeLines(path: string, lines: AsyncIterable<string>, context: CliContext): Promise<number> {
  const progress = createProgress(context);
  let count = 0;
  const file = await open(path, "w");
  try {
    for await (const line of lines) {
      context.signal.throwIfAborted();
      await file.write(line);
      progress.update("writing", ++count, 0, "lines");
    }
  } finally {
    await file.close();
    progress.end();
  }
  return count;
}
