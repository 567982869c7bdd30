import { z } from "zod";
import type { DirectoryEntry } from "../../contract/service/platform-directory.js";
import { Domain } from "../../contract/service/platforms.js";
import { rowsFrom } from "../cited-rows.js";
import {
  DIRECTORY,
  named,
  OPERATIONS_OF,
  type RawTool,
  rowsOf,
  signatureOf,
  withDirectory,
} from "../endpoints.js";
import { plainJson } from "../plain-json.js";
import { defineTool } from "../tool.js";
import { PartInput, SkipInput, TextInput } from "./shared-input.js";

/** The platform directory (service.md section 1), with what the tools can ask of each platform. */
export const listPlatforms = defineTool({
  name: "list_platforms",
  title: "List platforms and what each can be asked",
  description:
    "All platforms: records, freshness, and the resources and parameters that get_item, list_items and get_trend take for each. Call it before those. Free.",
  input: z.strictObject({
    platform: TextInput,
    domain: Domain.optional(),
    skip: SkipInput,
    part: PartInput,
  }),
  endpoints: named(DIRECTORY),
  run: async ({ skip, part, ...input }, { call, catalogue }) => {
    const params = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const answer = await call(DIRECTORY, params);
    const entries = [...((answer.data ?? []) as readonly DirectoryEntry[])];
    const known = withDirectory(catalogue, entries);
    const rows = entries
      .sort((a, b) => b.records - a.records || (a.platform < b.platform ? -1 : 1))
      .map(({ platform, domain, records, slices, freshness_class }) => ({
        value: plainJson({
          platform,
          domain,
          records,
          slices,
          collected: freshness_class,
          ...Object.fromEntries(
            (Object.keys(OPERATIONS_OF) as RawTool[]).flatMap((tool) => {
              const asked = rowsOf(known, tool, platform).map(signatureOf);
              return asked.length === 0 ? [] : [[tool, asked.join("; ")]];
            }),
          ),
        }),
        cite: undefined,
      }));
    return {
      noun: "platform",
      what: ", those with most records first",
      ...rowsFrom(rows, { skip, part }, (at) => ({
        tool: "list_platforms",
        arguments: { ...params, ...at },
      })),
      notes: answer.hint === undefined ? [] : [answer.hint],
    };
  },
});
