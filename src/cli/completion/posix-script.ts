import type { Candidates, CompletableCommand } from "./command-tree.js";

/** Syntax that differs between bash and zsh. */
interface Dialect {
  readonly head: string;
  readonly tail: string;
  /** Head of the loop over the words before the current one. */
  readonly loop: string;
  readonly current: string;
  readonly previous: string;
  /** The first argument that is not a command name. */
  readonly firstArgument: string;
  readonly files: string;
  readonly offer: string;
}

const BASH: Dialect = {
  head: `# Completion of mirrorlake for bash: source it, or put it where bash-completion looks.`,
  loop: `for ((i = 1; i < COMP_CWORD; i++)); do\n    word=\${COMP_WORDS[i]}`,
  current: `\${COMP_WORDS[COMP_CWORD]}`,
  previous: `\${COMP_WORDS[COMP_CWORD-1]}`,
  firstArgument: `\${args[0]}`,
  files: `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")); return`,
  offer: `COMPREPLY=($(compgen -W "$candidates" -- "$current"))`,
  tail: `complete -F _mirrorlake mirrorlake`,
};

const ZSH: Dialect = {
  head: `#compdef mirrorlake\n# Completion of mirrorlake for zsh: put it into a folder of $fpath as _mirrorlake, or source it after compinit.`,
  loop: `for ((i = 2; i < CURRENT; i++)); do\n    word=\${words[i]}`,
  current: `\${words[CURRENT]}`,
  previous: `\${words[CURRENT-1]}`,
  firstArgument: `\${args[1]}`,
  files: `_files; return`,
  offer: `compadd -- \${=candidates}`,
  tail: `if [[ "\${funcstack[1]}" == _mirrorlake ]]; then _mirrorlake "$@"; else compdef _mirrorlake mirrorlake; fi`,
};

/** The completion script for bash or zsh: one function with every command, option and value. */
export function posixScript(
  shell: "bash" | "zsh",
  commands: readonly CompletableCommand[],
  resources: ReadonlyMap<string, readonly string[]>,
): string {
  const dialect = shell === "bash" ? BASH : ZSH;
  const { head, tail, loop, current, previous, firstArgument, files, offer } = dialect;
  return `${head}
_mirrorlake() {
  local current="${current}" route="" candidates="" skip="" word i
  local -a args
  args=()
  ${loop}
    if [[ -n $skip ]]; then skip=""; continue; fi
    case "$route|$word" in
${arms(routes(commands), `route="\${route:+$route }$word"`)}
${arms(valueOptions(commands), "skip=1")}
      *"|-"*) ;;
      *) args+=("$word") ;;
    esac
  done
  if [[ -n $skip ]]; then
    case "$route|${previous}" in
${choices(optionValues(commands), files)}
      *) return ;;
    esac
  elif [[ $current == -* ]]; then
    case "$route" in
${commands.map(({ path, options }) => arm([path.join(" ")], `candidates="${options.flatMap(({ names }) => names).join(" ")}"`)).join("\n")}
    esac
  else
    case "$route|\${#args[@]}|${firstArgument}" in
${[...resources].map(([platform, names]) => arm([`raw|1|${platform}`], `candidates="${names.join(" ")}"`)).join("\n")}
${positions(commands, files)}
    esac
  fi
  ${offer}
}
${tail}
`;
}

function routes(commands: readonly CompletableCommand[]): string[] {
  return commands.flatMap(({ path, subcommands }) =>
    subcommands.map(({ name }) => `${path.join(" ")}|${name}`),
  );
}

function valueOptions(commands: readonly CompletableCommand[]): string[] {
  return optionValues(commands).map(([key]) => key);
}

function optionValues(commands: readonly CompletableCommand[]): [string, Candidates][] {
  return commands.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) =>
      value === undefined
        ? []
        : names.map((name): [string, Candidates] => [`${path.join(" ")}|${name}`, value]),
    ),
  );
}

/** One case arm per list of words, and one for all file values. */
function choices(values: readonly (readonly [string, Candidates])[], files: string): string {
  const words = values.flatMap(([key, value]) =>
    typeof value === "object" ? [arm([key], `candidates="${value.words.join(" ")}"`)] : [],
  );
  return [
    ...words,
    arms(
      values.flatMap(([key, value]) => (value === "files" ? [key] : [])),
      files,
    ),
  ].join("\n");
}

/** Case arms of subcommands and arguments, by the number of arguments before them. */
function positions(commands: readonly CompletableCommand[], files: string): string {
  const lines = commands.flatMap(({ path, subcommands, args }) => {
    const route = path.join(" ");
    if (subcommands.length > 0)
      return [`      "${route}|0|") candidates="${subcommands.map(({ name }) => name).join(" ")}" ;;`];
    return args.map((value, at) => {
      const pattern = at === args.length - 1 && value === "files" ? `"${route}|"*` : `"${route}|${at}|"*`;
      if (value === "files") return `      ${pattern}) ${files} ;;`;
      return `      ${pattern}) ${value === "anything" ? "return" : `candidates="${value.words.join(" ")}"`} ;;`;
    });
  });
  return lines.join("\n");
}

function arms(patterns: readonly string[], action: string): string {
  return patterns.length === 0 ? "" : arm(patterns, action);
}

function arm(patterns: readonly string[], action: string): string {
  return `      ${patterns.map((pattern) => `"${pattern}"`).join(" | ")}) ${action} ;;`;
}
