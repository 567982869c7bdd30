import type { Command } from "commander";

/** Says in a command's help that it may refit a lake's embedder or build its index again, and what it announces then. */
export function rebuildHelp(command: Command): Command {
  return command.addHelpText(
    "after",
    `
Where a third as many records come as there are, or have come since the last time, a lake's own embedder is refitted;
where more come than are there, or much of it is shown no more, its index is built again as a whole. Before either
starts, standard error says why, how much is loaded, about how long that takes and how much disk. In a folder of more
than 2,500 records what comes can be searched before a refit starts; Ctrl-C then ends the refit alone.`,
  );
}
