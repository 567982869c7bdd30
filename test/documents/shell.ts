import type { Command } from "commander";
import type { CliContext } from "../../src/cli/context.js";
import { safeOutput } from "../../src/cli/format/safe-output.js";
import { createProgram } from "../../src/cli/program.js";

/** The commands of a block of shell lines: comments, continuations and redirections gone, `&&` taken apart. */
export function commandsOf(code: string): readonly (readonly string[])[] {
  return code
    .replaceAll("\\\n", " ")
    .split("\n")
    .flatMap((line) => split(line))
    .filter((words) => words.length > 0);
}

/** Arguments of a `mirrorlake` command; undefined for another command. */
export function mirrorlakeArguments(words: readonly string[]): readonly string[] | undefined {
  const rest = words[0] === "npx" ? words.slice(1) : words;
  return rest[0] === "mirrorlake" ? rest.slice(1) : undefined;
}

/** Splits a line into commands of words, as a shell does where nothing is expanded. */
function split(line: string): string[][] {
  const commands: string[][] = [[]];
  const tokens = line.matchAll(/\s*(?:(#.*$)|(&&)|(>.*$)|((?:"[^"]*"|'[^']*'|[^\s"'])+))/g);
  for (const [, comment, and, redirection, word] of tokens) {
    if (comment !== undefined || redirection !== undefined) break;
    if (and !== undefined) commands.push([]);
    else commands.at(-1)!.push(word!.replace(/"([^"]*)"|'([^']*)'/g, (_, a, b) => a ?? b));
  }
  return commands;
}

/**
 * Parses a command line by the program itself, without running it.
 * @throws CommanderError for an unknown command or option, and for arguments that are missing, too many or not valid
 */
export async function parseCommandLine(args: readonly string[]): Promise<void> {
  const silent = safeOutput({ write: () => {}, isTty: false, columns: 100, color: false });
  const context: CliContext = {
    out: silent,
    err: silent,
    env: {},
    cwd: "/",
    signal: new AbortController().signal,
    fail: () => {},
  };
  const program = await createProgram(context);
  disarm(program);
  await program.parseAsync([...args], { from: "user" });
}

function disarm(command: Command): void {
  for (const child of command.commands) {
    if (child.commands.length === 0) child.action(() => {});
    disarm(child);
  }
}
