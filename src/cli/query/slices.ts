import type { Command } from "commander";
import type { Answer } from "../../client/answer.js";
import type { LakeClient } from "../../client/open-lake.js";
import { counted, formatCount } from "../../contract/quantity.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { type CliContext, printJson } from "../context.js";
import { printFooter, printHint } from "../format/format-meta.js";
import { formatSlices } from "../format/format-slices.js";
import { type LakeOptions, withLake } from "../lake-option.js";
import { accountOption, examples, jsonOption, lakeOption, readOnlyOption } from "../options.js";
import { readAllPages } from "./merge-pages.js";

interface SlicesOptions extends LakeOptions {
  readonly all?: boolean;
  readonly [filter: string]: unknown;
}

const FILTERS = ["domain", "platform", "lang", "from", "to", "limit", "cursor"] as const;

/** Registers `slices`: lists dataset slices (service.md section 4.3). */
export function registerSlices(program: Command, context: CliContext): void {
  const command = program
    .command("slices")
    .description("List the dataset slices of the lake: their manifests, filtered.")
    .option("--domain <name>", "social, ecommerce or web")
    .option("--platform <slug>", "platform slug")
    .option("--lang <tag>", "BCP-47 language tag")
    .option("--from <when>", "captured at or after: an ISO 8601 date or instant")
    .option("--to <when>", "captured at or before: an ISO 8601 date or instant")
    .option("--limit <n>", "1 to 100 manifests (default: 20)")
    .option("--cursor <n>", "cursor of the previous answer")
    .option("--all", "follow the cursor to the end");
  readOnlyOption(accountOption(lakeOption(jsonOption(command))));
  examples(command, ["slices", "slices --domain social --lang zh", "slices --all --json"]);
  command.action(async (options: SlicesOptions) => {
    const params = Object.fromEntries(
      FILTERS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
    );
    const call = { signal: context.signal, textual: true };
    const ask = async (lake: LakeClient) => {
      const answer: Answer = options.all
        ? await readAllPages(lake.pages<string>("datasets.slices", params, call), context)
        : await lake.call<string>("datasets.slices", params, call);
      printHint(context, answer);
      if (options.json) return printJson(context, answer);
      const { out } = context;
      const { items, total, has_more, cursor } = answer.data as {
        items: readonly SliceManifest[];
        total: number;
        has_more: boolean;
        cursor: number;
      };
      out.write(items.length === 0 ? "No slice matches.\n" : formatSlices(items, out.columns));
      const next = has_more ? `, next: --cursor ${cursor}` : "";
      printFooter(out, `${formatCount(items.length)} of ${counted(total, "slice")}${next}`, answer);
    };
    await withLake(options, context, ask, options.all ? "off" : "on");
  });
}
