import type { Argument, Command, Option } from "commander";

/** Candidates at one position: words, files, or any text. */
export type Candidates = { readonly words: readonly string[] } | "files" | "anything";

/** An option, described for completion. */
export interface CompletableOption {
  /** Long name (`--lake`), then the short name if there is one. */
  readonly names: readonly string[];
  readonly description: string;
  /** Candidates of the value; absent for a flag. */
  readonly value?: Candidates;
}

/** A command, described for completion. */
export interface CompletableCommand {
  /** Names from the program down: `["account", "usage"]`; empty for the program. */
  readonly path: readonly string[];
  readonly description: string;
  readonly subcommands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletableOption[];
  /** Candidates of each argument; the last entry also applies to further arguments. */
  readonly args: readonly Candidates[];
}

/** Common values, not an exhaustive list, by option or argument: `--platform`, `search --format`, `raw <platform>`. */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

const FILES = /^(dir|dirs|file|input|list|lock|out|path|source|before|after)$/;

/** Every command of a program, the program first. */
export function commandTree(program: Command, known: KnownValues): readonly CompletableCommand[] {
  const describe = (command: Command, path: readonly string[]): CompletableCommand[] => {
    const help = command.createHelp();
    const subcommands = help.visibleCommands(command).filter((child) => child.name() !== "help");
    const name = path.join(" ");
    return [
      {
        path,
        description: command.description(),
        subcommands: subcommands.map((child) => ({
          name: child.name(),
          description: summaryOf(child.description()),
        })),
        options: help.visibleOptions(command).map((option) => describeOption(option, name, known)),
        args: command.registeredArguments.map((argument) => describeArgument(argument, name, known)),
      },
      ...subcommands.flatMap((child) => describe(child, [...path, child.name()])),
    ];
  };
  return describe(program, []);
}

function describeOption(option: Option, command: string, known: KnownValues): CompletableOption {
  const names = [option.long, option.short].filter((name) => name !== undefined && name !== null);
  const description = summaryOf(option.description);
  if (!option.required && !option.optional) return { names, description };
  const words = option.argChoices ?? known[`${command} ${option.long}`] ?? known[option.long ?? ""];
  return { names, description, value: candidates(words, /<([^>.]+)/.exec(option.flags)?.[1]) };
}

function describeArgument(argument: Argument, command: string, known: KnownValues): Candidates {
  return candidates(argument.argChoices ?? known[`${command} <${argument.name()}>`], argument.name());
}

function candidates(words: readonly string[] | undefined, name: string | undefined): Candidates {
  if (words !== undefined) return { words };
  return name !== undefined && FILES.test(name) ? "files" : "anything";
}

/** The first sentence or clause: short enough to show beside a candidate. */
function summaryOf(description: string): string {
  return description.split(/[.:;(]/, 1)[0]!.trim();
}
