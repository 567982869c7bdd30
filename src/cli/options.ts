import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type { CliContext } from "./context.js";
import { DEFAULT_LAKE, DEMO_LAKE } from "./defaults.js";
import { style } from "./format/terminal-style.js";

/** Adds `--json`: the answer as one JSON value on standard output. */
export function jsonOption(command: Command): Command {
  return command.option("--json", "print one JSON value instead of tables");
}

/** Adds `--lake <dir>`; read it back with {@link lakePath}. */
export function lakeOption(command: Command): Command {
  return command.option("--lake <dir>", `lake folder (default: $MIRRORLAKE_LAKE, else ${DEFAULT_LAKE})`);
}

/** Adds `--read-only`: nothing is written into the lake's folder. */
export function readOnlyOption(command: Command): Command {
  return command.option(
    "--read-only",
    "write nothing into the lake's folder: calls go to an account in memory",
  );
}

/** Adds `--as-of`: the "now" that freshness is measured from (decisions.md, "Time"). */
export function asOfOption(command: Command): Command {
  return command.option(
    "--as-of <when>",
    "the now of freshness: corpus (newest capture, default), system, or an ISO 8601 instant",
  );
}

/** Absolute path of the lake that the options, the environment or the default name. */
export function lakePath(options: { readonly lake?: string }, context: CliContext): string {
  return resolve(context.cwd, options.lake ?? context.env.MIRRORLAKE_LAKE ?? DEFAULT_LAKE);
}

/**
 * The same for a command that only asks: where neither option nor environment names a lake and the default one is not there,
 * but the demo's is, it is that one, with a note.
 */
export async function existingLakePath(
  options: { readonly lake?: string },
  context: CliContext,
): Promise<string> {
  const path = lakePath(options, context);
  if ((options.lake ?? context.env.MIRRORLAKE_LAKE) !== undefined || (await exists(path))) return path;
  const demo = resolve(context.cwd, DEMO_LAKE);
  if (!(await exists(demo))) return path;
  const note = `Using the demo's lake, ${DEMO_LAKE}: there is none at ${DEFAULT_LAKE}. --lake names another.\n`;
  context.err.write(style(context.err, "dim", note));
  return demo;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Adds examples below a command's help. */
export function examples(command: Command, lines: readonly string[]): Command {
  return command.addHelpText(
    "after",
    `\nExamples:\n${lines.map((line) => `  $ mirrorlake ${line}`).join("\n")}`,
  );
}

/** commander parser of a whole number within bounds, where there are any; anything else is a usage error. */
export function wholeNumber(min = -Number.MAX_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(value) || value < min || value > max) {
      throw new InvalidArgumentError(`Expected a whole number${boundsOf(min, max)}.`);
    }
    return value;
  };
}

/** Bounds in words; one that is only that of exact numbers is none. */
function boundsOf(min: number, max: number): string {
  const [above, below] = [min > -Number.MAX_SAFE_INTEGER, max < Number.MAX_SAFE_INTEGER];
  if (above && below) return ` from ${min} to ${max}`;
  if (above) return ` of at least ${min}`;
  return below ? ` of at most ${max}` : "";
}

/** commander collector: `--domain a,b --domain c` gives `["a", "b", "c"]`. */
export function list(text: string, previous: readonly string[] | undefined): readonly string[] {
  const parts = text.split(",").map((part) => part.trim());
  return [...(previous ?? []), ...parts.filter((part) => part !== "")];
}
