import { access, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import {
  isPostgresAddress,
  type PostgresAddress,
  shownAddress,
} from "../account/store/postgres/postgres-address.js";
import {
  type ClickHouseAddress,
  isClickHouseAddress,
  shownClickHouse,
} from "../clickhouse/clickhouse-address.js";
import { UsageError } from "../contract/errors.js";
import { lakePaths } from "../lake/lake-paths.js";
import type { CliContext } from "./context.js";
import { DEFAULT_LAKE, DEMO_LAKE } from "./defaults.js";
import { style } from "./format/terminal-style.js";

/** Adds `--json`: one JSON value on standard output. */
export function jsonOption(command: Command): Command {
  return command.option("--json", "print one JSON value instead of tables");
}

/** Adds `--lake <dir>`; read it back with {@link lakePath}. */
export function lakeOption(command: Command): Command {
  return command.option("--lake <dir>", `lake folder (default: $MIRRORLAKE_LAKE, else ${DEFAULT_LAKE})`);
}

/** Adds `--read-only`: writes nothing into the lake's folder. @param free whether nothing that the command does is charged */
export function readOnlyOption(command: Command, free = false): Command {
  const charged = free ? "" : "; calls are charged to an account in memory";
  return command.option("--read-only", `write nothing into the lake's folder${charged}`);
}

/** Adds `--account <address>`; read it back with {@link accountAddress}. */
export function accountOption(command: Command): Command {
  return command.option(
    "--account <address>",
    "account on PostgreSQL that servers share, postgres://user:password@host/database (default: $MIRRORLAKE_ACCOUNT, else the lake's own)",
  );
}

/**
 * Address of the account: from `--account`, else `MIRRORLAKE_ACCOUNT`, else undefined.
 * @throws UsageError `invalid_account`
 */
export function accountAddress(
  options: { readonly account?: string },
  context: CliContext,
): PostgresAddress | undefined {
  const address = options.account ?? context.env.MIRRORLAKE_ACCOUNT;
  if (address === undefined || address === "") return undefined;
  if (isPostgresAddress(address)) return address;
  throw new UsageError("invalid_account", "The account has no address of PostgreSQL", {
    value: address.includes("@") ? shownAddress(address) : address,
    remedy: "Use postgres://user:password@host:5432/database, or leave --account and MIRRORLAKE_ACCOUNT out.",
  });
}

/** Adds `--as-of`: the instant that freshness is measured from (decisions.md, "Time"). */
export function asOfOption(command: Command): Command {
  return command.option(
    "--as-of <when>",
    "instant that freshness is measured from: corpus (newest capture, default), system, or ISO 8601",
  );
}

/** Says of a query in several arguments how to write it: a shell makes an argument of each of its words. */
export function quotedQuery(command: Command): Command {
  return command.configureOutput({
    outputError: (text, write) =>
      write(text.includes("too many arguments") ? `${text}(put the query in quotation marks)\n` : text),
  });
}

/** Which fields of an answer to print. */
export interface SelectionOptions {
  readonly fields?: readonly string[];
  readonly omit?: readonly string[];
}

/** Adds `--fields` and `--omit`: as much of an answer as one needs. */
export function selectionOptions(command: Command): Command {
  return command
    .option("--fields <names>", "only these fields of records or items, such as id,title,price.current", list)
    .option("--omit <names>", "without these fields, such as vec,prov.hash; vectors are not read then", list);
}

/** The lake that `--lake` names, else `MIRRORLAKE_LAKE`, where it is not empty. */
function namedLake(options: { readonly lake?: string }, { env }: CliContext): string | undefined {
  return options.lake ?? (env.MIRRORLAKE_LAKE || undefined);
}

/**
 * Absolute path of the lake: from `--lake`, else `MIRRORLAKE_LAKE`, else the default.
 * @throws UsageError `folder_needed` for the address of a lake on ClickHouse
 */
export function lakePath(options: { readonly lake?: string }, context: CliContext): string {
  const given = namedLake(options, context) ?? DEFAULT_LAKE;
  if (!isClickHouseAddress(given)) return resolve(context.cwd, given);
  throw folderNeeded(given);
}

/** What is said of a lake on ClickHouse where a command takes a folder alone. */
export function folderNeeded(address: ClickHouseAddress): UsageError {
  return new UsageError("folder_needed", "This command works on a lake in a folder", {
    value: shownClickHouse(address),
    remedy: "Name a folder. docs/cluster.md says which commands take a lake on ClickHouse.",
  });
}

/** Address of a lake on ClickHouse, where `--lake` or `MIRRORLAKE_LAKE` is one. */
export function clickHouseLake(
  options: { readonly lake?: string },
  context: CliContext,
): ClickHouseAddress | undefined {
  const given = namedLake(options, context);
  return given !== undefined && isClickHouseAddress(given) ? given : undefined;
}

/**
 * Like {@link lakePath}, for commands that only read. If neither option nor environment names a lake and there is nothing in the
 * default lake but a salt, it returns the demo's lake if that exists, and prints a note.
 */
export async function existingLakePath(
  options: { readonly lake?: string },
  context: CliContext,
): Promise<string> {
  const path = lakePath(options, context);
  if (namedLake(options, context) !== undefined || (await holdsMore(path))) return path;
  const demo = resolve(context.cwd, DEMO_LAKE);
  if (!(await exists(demo))) return path;
  const note = `Using the demo's lake, ${DEMO_LAKE}: there is none at ${DEFAULT_LAKE}. Use --lake for another.\n`;
  context.err.write(style(context.err, "dim", note));
  return demo;
}

/**
 * Absolute path of the lake whose salt hashes authors: the one that option or environment names, else the default lake where it
 * exists. None is made for a salt alone.
 */
export async function saltLake(
  options: { readonly lake?: string },
  context: CliContext,
): Promise<string | undefined> {
  const path = lakePath(options, context);
  const isNamed = namedLake(options, context) !== undefined;
  return isNamed || (await exists(lakePaths(path).settings)) ? path : undefined;
}

/** Whether there is more in a lake's folder than its settings and a salt. */
async function holdsMore(path: string): Promise<boolean> {
  const { settings, authorSalt } = lakePaths(path);
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? [] : [path],
  );
  return names.some((name) => ![settings, authorSalt].includes(join(path, name)));
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

/** Returns a commander parser for a whole number from `min` to `max`. @throws InvalidArgumentError, from the parser */
export function wholeNumber(min = -Number.MAX_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(value) || value < min || value > max) {
      throw new InvalidArgumentError(`Expected a whole number${boundsOf(min, max)}.`);
    }
    return value;
  };
}

/** Bounds in words, without the default bounds. */
function boundsOf(min: number, max: number): string {
  const [above, below] = [min > -Number.MAX_SAFE_INTEGER, max < Number.MAX_SAFE_INTEGER];
  if (above && below) return ` from ${min} to ${max}`;
  if (above) return ` of at least ${min}`;
  return below ? ` of at most ${max}` : "";
}

/** Commander collector: `--domain a,b --domain c` gives `["a", "b", "c"]`. */
export function list(text: string, previous: readonly string[] | undefined): readonly string[] {
  const parts = text.split(",").map((part) => part.trim());
  return [...(previous ?? []), ...parts.filter((part) => part !== "")];
}

/** Like {@link list}, of at least one value; `problemOf` says what is wrong with one, in words after "it". */
export function listOf(problemOf: (part: string) => string | undefined) {
  return (text: string, previous: readonly string[] | undefined): readonly string[] => {
    const parts = list(text, undefined);
    if (parts.length === 0) throw new InvalidArgumentError("It names none.");
    for (const part of parts) {
      const problem = problemOf(part);
      if (problem !== undefined) throw new InvalidArgumentError(`${JSON.stringify(part)}: it ${problem}.`);
    }
    return [...(previous ?? []), ...parts];
  };
}
