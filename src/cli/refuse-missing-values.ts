import type { Command } from "commander";
import { UsageError } from "../contract/errors.js";

/**
 * Refuses an option whose value is the name of another option of the command: its own is missing. A file of that name would be
 * looked for, or written, and the other option would be ignored.
 * @throws UsageError `invalid_argument`
 */
export function refuseMissingValues(command: Command): void {
  const names = new Set(["--help", ...command.options.map(({ long }) => long)]);
  for (const option of command.options) {
    const given: readonly unknown[] = [command.getOptionValue(option.attributeName())].flat();
    const other = given.find((value) => typeof value === "string" && names.has(value));
    if (other === undefined) continue;
    throw new UsageError(
      "invalid_argument",
      `${option.long} has no value: ${other}, behind it, is an option`,
      {
        value: other,
        remedy: `write ${option.flags}; a file whose name begins with - is given as ./-…`,
      },
    );
  }
}
