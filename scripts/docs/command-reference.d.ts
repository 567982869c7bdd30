import type { Command } from "commander";
import type { CliContext } from "../../src/cli/context.js";

/** The text of docs/command-line.md with the reference of every command between its markers. */
export function withCommandReference(
  text: string,
  createProgram: (context: CliContext) => Promise<Command>,
): Promise<string>;
