import type { Command } from "commander";

/** Says in a command's help that it may refit a lake's embedder or build its index again, and what it announces then. */
export function rebuildHelp(command: Command): Command {
  return command.addHelpText(
    "after",
    `
Where more than a third comes at once or has come since the last time, a lake's own embedder is refitted; where more
comes than is there, or much of it is shown no more, its index is built again as a whole. Before either starts, standard
error says why, how much is loaded, about how long that takes and how much disk.`,
  );
}
