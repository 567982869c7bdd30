import { z } from "zod";
import type { SlicesPage } from "../../contract/service/catalogue/datasets.js";
import { Domain } from "../../contract/service/platforms.js";
import { rowsFrom } from "../cited-rows.js";
import { named } from "../endpoints.js";
import { plainJson } from "../plain-json.js";
import { defineTool } from "../tool.js";
import { CursorInput, PartInput, SkipInput, TextInput } from "./shared-input.js";

/** Lists the dataset slices (service.md section 4.3). */
export const listDatasets = defineTool({
  name: "list_datasets",
  title: "List datasets",
  description:
    "The dataset slices that can be downloaded whole: platform, language, window, counts, licence, files. Free.",
  input: z.strictObject({
    domain: Domain.optional(),
    platform: TextInput,
    lang: TextInput,
    from: TextInput,
    to: TextInput,
    limit: z.int().min(1).max(100).default(5),
    cursor: CursorInput,
    skip: SkipInput,
    part: PartInput,
  }),
  endpoints: named("datasets.slices"),
  run: async ({ skip, part, ...input }, { call }) => {
    const params = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const answer = await call("datasets.slices", params);
    const { items, cursor, has_more, total } = answer.data as SlicesPage;
    const callOf = (at: object) => ({ tool: "list_datasets", arguments: { ...params, ...at } });
    const within = rowsFrom(
      items.map((item) => ({ value: plainJson(summaryOf(item)), cite: undefined })),
      { skip, part },
      callOf,
    );
    return {
      noun: "dataset",
      what: ` of ${total}`,
      ...within,
      further: part === undefined && has_more ? total - cursor : 0,
      after: (shown) =>
        part !== undefined
          ? undefined
          : (within.after?.(shown) ?? (has_more ? callOf({ cursor }) : undefined)),
    };
  },
});

/** A manifest without the columns of its files, which are the same for every slice. */
function summaryOf({ resources, $schema: _, ...manifest }: SlicesPage["items"][number]): object {
  return { ...manifest, resources: resources.map(({ schema: _columns, ...file }) => file) };
}
