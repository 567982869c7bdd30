import { createRequire } from "node:module";
import { Command, Help } from "commander";
import { COMMANDS } from "./commands.js";
import { type CliContext, OutputClosed, type OutputStream } from "./context.js";
import { EXIT } from "./defaults.js";
import { safeOutput } from "./format/safe-output.js";
import { reportError } from "./report-error.js";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

/**
 * Creates the command line as a commander program. It loads only the wanted commands; the others have a name and a description
 * for the help.
 *
 * @param wanted whether to load the command of a name; all by default
 */
export async function createProgram(
  context: CliContext,
  wanted: (name: string) => boolean = () => true,
): Promise<Command> {
  const program = new Command("mirrorlake")
    .description("A public web-data API in-process: search, raw and slices over local dataset slices.")
    .version(version, "-V, --version")
    // Ids and salts may begin with -V: behind a command it is no option of the program.
    .enablePositionalOptions()
    .showHelpAfterError("(add --help for the options and examples)")
    .configureHelp({ helpWidth: context.out.columns, subcommandTerm: termOf })
    .configureOutput({
      writeOut: (text) => context.out.write(text),
      writeErr: (text) => context.err.write(text),
    })
    .exitOverride()
    .hook("preAction", async (_, command) => {
      const { checkPaths } = await import("./check-paths.js");
      checkPaths(command);
      const { refuseMissingValues } = await import("./refuse-missing-values.js");
      refuseMissingValues(command);
    });
  for (const { usage, summary, load } of COMMANDS) {
    if (wanted(usage.split(" ", 1)[0]!)) (await load())(program, context);
    else program.command(usage).description(summary);
  }
  return program;
}

/** What a command line gets from its process. */
export interface CliProcess extends Pick<CliContext, "env" | "cwd" | "signal" | "stdin"> {
  readonly out: OutputStream;
  readonly err: OutputStream;
}

/**
 * Runs one command line and resolves to its exit code: 0 ok, 1 error, 2 usage, 3 incomplete, 130 and 143 interrupted by
 * Ctrl-C and SIGTERM. Never rejects, never ends the process.
 *
 * @param args the arguments after the program's name
 */
export async function runCli(args: readonly string[], process: CliProcess): Promise<number> {
  const json = args.slice(0, args.includes("--") ? args.indexOf("--") : undefined).includes("--json");
  let code: number = EXIT.ok;
  const context: CliContext = {
    ...process,
    out: safeOutput(process.out),
    err: safeOutput(process.err),
    fail: (as = EXIT.error) => {
      code = as;
    },
  };
  try {
    const called = args.find((arg) => !arg.startsWith("-") && arg !== "help");
    const program = await createProgram(context, (name) => name === called);
    if (args.length === 0) {
      program.outputHelp();
      return EXIT.ok;
    }
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof OutputClosed) return code;
    return reportError(error, context, json);
  }
}

/** Name and arguments of a command for the help's list, without `[options]`. */
function termOf(command: Command): string {
  return new Help().subcommandTerm(command).replace(" [options]", "");
}
