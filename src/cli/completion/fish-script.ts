import type { Candidates, CompletableCommand } from "./command-tree.js";

const HEAD = `# Completion of mirrorlake for fish: put it into ~/.config/fish/completions/mirrorlake.fish.
function __mirrorlake_words
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; or echo $word
    end
end
function __mirrorlake_in
    set -l words (__mirrorlake_words)
    set -l length (count $argv)
    test (count $words) -ge $length; and test "$words[1..$length]" = "$argv"
end
function __mirrorlake_at
    set -l words (__mirrorlake_words)
    test "$words" = "$argv"
end
complete -c mirrorlake -f
`;

/** The completion script for fish: one line per command, option and list of values. */
export function fishScript(
  commands: readonly CompletableCommand[],
  resources: ReadonlyMap<string, readonly string[]>,
): string {
  const lines = commands.flatMap(({ path, subcommands, options, args }) => [
    ...subcommands.map(({ name, description }) =>
      line(at(path), `-a ${quoted(name)}`, `-d ${quoted(description)}`),
    ),
    ...options.map(({ names, description, value }) =>
      line(inside(path), ...names.map(nameFlag), ...valueFlags(value), `-d ${quoted(description)}`),
    ),
    ...args
      .slice(0, 1)
      .flatMap((value) => (value === "anything" ? [] : [line(at(path), ...valueFlags(value, "-a"))])),
    ...(args.at(-1) === "files" ? [line(inside(path), "-F")] : []),
  ]);
  const raw = [...resources].map(([platform, names]) =>
    line(at(["raw", platform]), `-a ${quoted(names.join(" "))}`),
  );
  return `${HEAD}${[...new Set([...lines, ...raw])].join("\n")}\n`;
}

function line(condition: string, ...parts: readonly string[]): string {
  return `complete -c mirrorlake -n ${quoted(condition)} ${parts.join(" ")}`;
}

/** Condition: the words so far are exactly the command. */
function at(path: readonly string[]): string {
  return ["__mirrorlake_at", ...path].join(" ");
}

/** Condition: the words so far start with the command. */
function inside(path: readonly string[]): string {
  return path.length === 0 ? "__mirrorlake_at" : ["__mirrorlake_in", ...path].join(" ");
}

function nameFlag(name: string): string {
  return name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
}

function valueFlags(value: Candidates | undefined, words = "-x -a"): string[] {
  if (value === undefined) return [];
  if (value === "files") return words === "-a" ? ["-F"] : ["-r -F"];
  return value === "anything" ? ["-x"] : [`${words} ${quoted(value.words.join(" "))}`];
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
