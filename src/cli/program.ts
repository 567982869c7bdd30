import { createRequire } from "node:module";
import { Command } from "commander";
import { REGISTER } from "./commands.js";
import type { CliContext } from "./context.js";
import { EXIT } from "./defaults.js";
import { reportError } from "./report-error.js";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

/** The whole command line as a commander program, with every command registered. */
export function createProgram(context: CliContext): Command {
  const program = new Command("mirrorlake")
    .description("A public web-data API in-process: search, raw and slices over local dataset slices.")
    .version(version, "-V, --version")
    .showHelpAfterError("(add --help for the options and examples)")
    .configureHelp({ helpWidth: context.out.columns })
    .configureOutput({
      writeOut: (text) => context.out.write(text),
      writeErr: (text) => context.err.write(text),
    })
    .exitOverride();
  for (const register of REGISTER) register(program, context);
  return program;
}

/**
 * Runs one command line and answers its exit code: 0 ok, 1 error, 2 usage, 130 interrupted. Never throws, never
 * ends the process.
 *
 * @param args what follows the program's name
 */
export async function runCli(args: readonly string[], process: Omit<CliContext, "fail">): Promise<number> {
  const json = args.slice(0, args.includes("--") ? args.indexOf("--") : undefined).includes("--json");
  let code: number = EXIT.ok;
  const context: CliContext = {
    ...process,
    fail: () => {
      code = EXIT.error;
    },
  };
  try {
    const program = createProgram(context);
    if (args.length === 0) {
      program.outputHelp();
      return EXIT.ok;
    }
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    return reportError(error, context, json);
  }
}
