import { Argument, type Command } from "commander";
import type { CliContext } from "../context.js";
import { examples } from "../options.js";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** Registers `completion`: a script that completes commands, options and values in a shell. */
export function registerCompletion(program: Command, context: CliContext): void {
  const command = program
    .command("completion")
    .description("Print a script that completes commands, options and their values in a shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS));
  examples(command, [
    "completion bash > ~/.local/share/bash-completion/completions/mirrorlake",
    "completion zsh > ~/.zfunc/_mirrorlake       # a folder of $fpath",
    "completion fish > ~/.config/fish/completions/mirrorlake.fish",
  ]);
  command.action(async (shell: Shell) => {
    const [{ createProgram }, { commandTree }, { knownValues, rawResources }] = await Promise.all([
      import("../program.js"),
      import("./command-tree.js"),
      import("./known-values.js"),
    ]);
    const commands = commandTree(await createProgram(context), knownValues());
    if (shell === "fish") {
      const { fishScript } = await import("./fish-script.js");
      return context.out.data(fishScript(commands, rawResources()));
    }
    const { posixScript } = await import("./posix-script.js");
    context.out.data(posixScript(shell, commands, rawResources()));
  });
}
