import type { Command } from "commander";

/** Says in a command's help that it may build a lake's index again, and what it announces then. */
export function rebuildHelp(command: Command): Command {
  return command.addHelpText(
    "after",
    `
A lake's index is built again as a whole, its own embedder included, where more than a third comes at once or has come
since the last time, and where slices go out. Before it starts, standard error says why, how much is loaded, about how
long that takes and how much disk.`,
  );
}
