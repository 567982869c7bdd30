import type { Command } from "commander";
import { counted } from "../../contract/quantity.js";
import { ALL_TIME } from "../../contract/service/shared-params.js";
import { type CliContext, printJson } from "../context.js";
import { printFooter, printHint } from "../format/format-meta.js";
import { formatRaw } from "../format/format-raw.js";
import { formatRecords } from "../format/format-records.js";
import { printAbsentFields } from "../format/print-absent-fields.js";
import { embedderOption } from "../lake/embedder-option.js";
import { type LakeOptions, withLake } from "../lake-option.js";
import {
  accountOption,
  asOfOption,
  examples,
  jsonOption,
  lakeOption,
  list,
  quotedQuery,
  readOnlyOption,
  type SelectionOptions,
  selectionOptions,
  wholeNumber,
} from "../options.js";

interface SearchOptions extends LakeOptions, SelectionOptions {
  readonly domain?: string[];
  readonly platform?: string[];
  readonly freshness?: string;
  readonly format?: string;
  readonly limit?: number;
}

/** Registers `search`: the cross-domain search of service.md section 4.1. */
export function registerSearch(program: Command, context: CliContext): void {
  const command = program
    .command("search")
    .description("Search social, e-commerce and web records.")
    .argument("<query>", "search text, in any language")
    .option("--domain <names>", "social, ecommerce, web; repeat or separate by commas (default: all)", list)
    .option("--platform <slugs>", "only these platforms; repeat or separate by commas", list)
    .option("--freshness <window>", "captured within 1h to 90d before as-of, or all (default: 24h)")
    .option("--format <format>", "records, or vectors+provenance (default: vectors+provenance)")
    .option("--limit <n>", "1 to 100 results (default: 20)", wholeNumber());
  selectionOptions(quotedQuery(command));
  embedderOption(asOfOption(readOnlyOption(accountOption(lakeOption(jsonOption(command))))));
  examples(command, [
    "search 手机 --freshness 90d",
    'search "wireless mouse" --domain ecommerce --limit 5',
    'search "banjir" --domain web --platform global-news --json',
    "search 手机 --freshness all --json --omit vec",
    "search mouse --freshness 90d --fields id,title,price.current",
  ]);
  command.action(async (query: string, options: SearchOptions) => {
    const { domain, platform, freshness, format, limit } = options;
    const params = {
      query,
      domains: domain,
      platforms: platform,
      freshness,
      format,
      limit,
    };
    const { fields, omit } = options;
    const chosen = fields !== undefined || omit !== undefined;
    // A window of over 90 days is refused as on the remote service; `all` is asked for knowingly.
    const maxFreshness = freshness === ALL_TIME ? "unlimited" : undefined;
    await withLake({ ...options, maxFreshness }, context, async (lake) => {
      // The values are not validated here: the service rejects invalid ones with its own messages.
      const selection = { fields, omit: options.json ? omit : [...(omit ?? []), "vec"] }; // a terminal shows no vectors
      const answer = await lake.search(params as Parameters<typeof lake.search>[0], {
        signal: context.signal,
        ...selection,
      });
      printHint(context, answer);
      printAbsentFields(context, answer.data, selection, true);
      if (options.json) return printJson(context, answer);
      const { out } = context;
      if (answer.data.length > 0 && chosen) out.write(formatRaw(answer.data, out, true));
      else if (answer.data.length > 0) out.write(formatRecords(answer.data, out));
      else {
        const window = freshness ?? "24h";
        if (window === ALL_TIME) out.write("Nothing captured before as-of matches. Try other words.\n");
        else {
          out.write(`Nothing captured within ${window} before as-of matches. `);
          out.write(`Try --freshness ${window === "90d" ? ALL_TIME : "90d"}.\n`);
        }
      }
      printFooter(out, counted(answer.data.length, "result"), answer);
    });
  });
}
