import type { Command } from "commander";
import { isClickHouseAddress } from "../clickhouse/clickhouse-address.js";
import { UsageError } from "../contract/errors.js";
import { folderNeeded } from "./options.js";

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
 * Refuses an empty text where a command takes a path: resolved, it would be the working folder, with all that is in it. The address of a
 * lake on ClickHouse is a path nowhere, and its password in no message; `--lake` takes one.
 * @throws UsageError `invalid_argument`, `folder_needed`
 */
export function checkPaths(command: Command): void {
  for (const [i, argument] of command.registeredArguments.entries())
    if (PATHS.has(argument.name())) check(argument.name(), command.processedArgs[i]);
  for (const option of command.options) {
    const value = /[<[]([a-z]+)/.exec(option.flags)?.[1];
    if (value !== undefined && PATHS.has(value))
      check(option.long ?? option.flags, command.getOptionValue(option.attributeName()));
  }
}

/** @param given a path, several, or none */
function check(name: string, given: unknown): void {
  const paths = [given].flat().filter((path) => typeof path === "string");
  const address = paths.find(isClickHouseAddress);
  if (address !== undefined && name !== "--lake") throw folderNeeded(address);
  if (!paths.includes("")) return;
  throw new UsageError("invalid_argument", `${name} is "", it must be a path, not an empty text`, {
    value: "",
    remedy: "give a path; a variable of the shell that is not set is an empty text",
  });
}
