import type { Argument, Command, Option } from "commander";

/** What may be typed in one place: words, files, or anything at all. */
export type Candidates = { readonly words: readonly string[] } | "files" | "anything";

/** An option as completion knows it. */
export interface CompletableOption {
  /** `--lake`, and its short form where it has one. */
  readonly names: readonly string[];
  readonly description: string;
  /** What its value may be; absent where it takes none. */
  readonly value?: Candidates;
}

/** A command as completion knows it. */
export interface CompletableCommand {
  /** Names from the program down: `["account", "usage"]`; empty for the program. */
  readonly path: readonly string[];
  readonly description: string;
  readonly subcommands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletableOption[];
  /** What each argument may be; the last one again for those after it. */
  readonly args: readonly Candidates[];
}

/** Values that are known but not the only ones: `--platform`, `search --format`, an argument `raw <platform>`. */
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

/** The first sentence or clause: what fits beside a candidate. */
function summaryOf(description: string): string {
  return description.split(/[.:;(]/, 1)[0]!.trim();
}
