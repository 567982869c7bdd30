import { z } from "zod";
import { recordRow, rowsFrom } from "../cited-rows.js";
import { askRow, catalogueFor, rowOf, rowsOf } from "../endpoints.js";
import { defineTool } from "../tool.js";
import { PartInput, TextInput } from "./shared-input.js";

/** Numbers over time: the prices of a thing, or how many works there were. */
export const getTrend = defineTool({
  name: "get_trend",
  title: "Prices and trends over time",
  description:
    "Numbers over time: the price path of a product, listing or creator (id), or how many posts or articles there were (q).",
  input: z.strictObject({
    platform: z.string(),
    resource: TextInput,
    id: TextInput,
    q: TextInput,
    unit: z.enum(["hour", "day", "week", "month"]).optional(),
    from: TextInput,
    to: TextInput,
    count: z.number().optional(),
    part: PartInput,
  }),
  endpoints: (catalogue) => rowsOf(catalogue, "get_trend"),
  run: async ({ part, ...input }, context) => {
    const { platform, resource, ...params } = input;
    const row = rowOf(await catalogueFor(platform, context), "get_trend", platform, resource);
    const answer = await askRow(row, params, context);
    const rows = answer.data === null ? [] : [recordRow(answer.data, platform, params.id ?? row.resource)];
    const args = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    return {
      what: `${row.resource} of ${platform}`,
      ...rowsFrom(rows, { part }, (at) => ({ tool: "get_trend", arguments: { ...args, ...at } })),
      notes: answer.hint === undefined ? [] : [answer.hint],
    };
  },
});
