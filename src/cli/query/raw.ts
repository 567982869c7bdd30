import type { Command } from "commander";
import type { Answer } from "../../client/answer.js";
import { checkSelection } from "../../client/check-selection.js";
import type { LakeClient } from "../../client/open-lake.js";
import { UsageError } from "../../contract/errors.js";
import { counted, formatCount } from "../../contract/quantity.js";
import { CATALOGUE } from "../../contract/service/catalogue.js";
import { type CliContext, printJson } from "../context.js";
import { printFooter, printHint } from "../format/format-meta.js";
import { formatRaw } from "../format/format-raw.js";
import { printAbsentFields } from "../format/print-absent-fields.js";
import { type LakeOptions, withLake } from "../lake-option.js";
import {
  accountOption,
  asOfOption,
  examples,
  jsonOption,
  lakeOption,
  readOnlyOption,
  type SelectionOptions,
  selectionOptions,
} from "../options.js";
import { readAllPages, withSelection } from "./merge-pages.js";

interface RawOptions extends LakeOptions, SelectionOptions {
  readonly param?: Readonly<Record<string, string | string[]>>;
  readonly all?: boolean;
  readonly [named: string]: unknown;
}

/** Registers `raw`: the platform-native structures of service.md section 4.2. */
export function registerRaw(program: Command, context: CliContext): void {
  const command = program
    .command("raw")
    .description("Fetch a platform-native structure: a video, a page of comments, a price path.")
    .argument("<platform>", "platform slug, such as short-video")
    .argument("<resource>", "resource name, such as video or comments")
    .option("--param <name=value>", "any parameter of the endpoint; repeatable", addParam)
    .option("--all", "follow the cursor to the end; duplicates (by cid) are shown once");
  const names = parameterNames();
  for (const name of names.values()) command.option(`--${kebab(name)} <value>`, `parameter ${name}`);
  selectionOptions(command);
  asOfOption(readOnlyOption(accountOption(lakeOption(jsonOption(command)))));
  examples(command, [
    "raw short-video video --item-id 7400000000000000123",
    "raw short-video comments --item-id 7400000000000000123 --count 50 --all",
    "raw short-video comments --param item_id=7400000000000000123 --json",
  ]);
  command.addHelpText("after", () => `\nResources:\n${resources()}`);
  command.addHelpText(
    "after",
    "\nWith --all, --json prints one envelope: the distinct items of all pages and the total cost.",
  );
  command.action(async (platform: string, resource: string, options: RawOptions) => {
    const named = [...names].flatMap(([option, name]) =>
      typeof options[option] === "string" ? [[name, options[option]] as const] : [],
    );
    const params = { ...options.param, ...Object.fromEntries(named) };
    const call = { signal: context.signal, textual: true };
    const ask = async (lake: LakeClient) => {
      const { fields, omit } = options;
      const chosen = fields !== undefined || omit !== undefined;
      const id = `raw.${platform}.${resource}`;
      const row = lake.catalogue.find((one) => one.id === id);
      if (row !== undefined) checkSelection(row, { fields, omit });
      // Items of overlapping pages are told apart by fields that may be left out.
      const answer: Answer = options.all
        ? withSelection(await readAllPages(lake.pages(id, params, call), context), { fields, omit })
        : await lake.call(id, params, { ...call, fields, omit });
      printHint(context, answer);
      printAbsentFields(context, answer.data, { fields, omit }, false);
      if (options.json) return printJson(context, answer);
      const { out } = context;
      out.write(answer.meta.empty ? "Nothing found.\n" : formatRaw(answer.data, out, chosen));
      printFooter(out, itemCount(answer.data), answer);
    };
    await withLake(options, context, ask, options.all ? "off" : "on");
  });
}

/** The shipped raw resources, one line per platform. */
function resources(): string {
  const byPlatform = new Map<string, string[]>();
  for (const { platform, resource = "" } of CATALOGUE) {
    if (platform !== undefined) byPlatform.set(platform, [...(byPlatform.get(platform) ?? []), resource]);
  }
  const width = Math.max(...[...byPlatform.keys()].map((platform) => platform.length));
  return [...byPlatform]
    .map(([platform, names]) => `  ${platform.padEnd(width)}  ${names.join(", ")}`)
    .join("\n");
}

/** Parameter names of all raw endpoints, by commander's option property. */
function parameterNames(): ReadonlyMap<string, string> {
  const rows = CATALOGUE.filter(({ platform }) => platform !== undefined);
  const names = [...new Set(rows.flatMap(({ params }) => Object.keys(params.shape)))].sort();
  return new Map(
    names.map((name) => [name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), name]),
  );
}

function kebab(name: string): string {
  return name.replaceAll("_", "-");
}

function addParam(text: string, previous: Record<string, string | string[]> = {}) {
  const at = text.indexOf("=");
  if (at < 1) {
    throw new UsageError("bad_param", `--param ${text} does not have the form name=value`, {
      value: text,
      remedy: "Write it as --param item_id=7400000000000000123.",
    });
  }
  const name = text.slice(0, at);
  const value = text.slice(at + 1);
  const before = previous[name];
  return { ...previous, [name]: before === undefined ? value : [before, value].flat() };
}

function itemCount(data: unknown): string {
  if (typeof data !== "object" || data === null) return counted(0, "item");
  const { items, total, cursor, has_more: more } = data as Record<string, unknown>;
  if (!Array.isArray(items)) return counted(1, "item");
  const shown =
    typeof total === "number"
      ? `${formatCount(items.length)} of ${counted(total, "item")}`
      : counted(items.length, "item");
  return `${shown}${more === true ? `, next: --cursor ${cursor}` : ""}`;
}
