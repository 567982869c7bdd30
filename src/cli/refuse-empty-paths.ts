import type { Command } from "commander";
import { UsageError } from "../contract/errors.js";

/** What arguments, and values of options, are called where they are paths, in the usage of commands. */
const PATHS: ReadonlySet<string> = new Set([
  "after",
  "before",
  "cassette",
  "dir",
  "dirs",
  "file",
  "from",
  "input",
  "list",
  "source",
]);

/**
 * Refuses an empty text where a command takes a path: resolved, it would be the working folder, with all that is in it.
 * @throws UsageError `invalid_argument`
 */
export function refuseEmptyPaths(command: Command): void {
  for (const [i, argument] of command.registeredArguments.entries())
    if (PATHS.has(argument.name())) refuseEmpty(argument.name(), command.processedArgs[i]);
  for (const option of command.options) {
    const value = /[<[]([a-z]+)/.exec(option.flags)?.[1];
    if (value !== undefined && PATHS.has(value))
      refuseEmpty(option.long ?? option.flags, command.getOptionValue(option.attributeName()));
  }
}

/** @param given a path, several, or none */
function refuseEmpty(name: string, given: unknown): void {
  if (![given].flat().includes("")) return;
  throw new UsageError("invalid_argument", `${name} is "", it must be a path, not an empty text`, {
    value: "",
    remedy: "give a path; a variable of the shell that is not set is an empty text",
  });
}
