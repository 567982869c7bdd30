import { z } from "zod";
import { itemRow, recordRow, rowsFrom } from "../cited-rows.js";
import { TOOL_DEFAULTS } from "../defaults.js";
import { askRow, catalogueFor, rowOf, rowsOf } from "../endpoints.js";
import { defineTool } from "../tool.js";
import { CursorInput, PartInput, SkipInput, TextInput } from "./shared-input.js";

/** Lists what belongs to a thing or a platform (service.md section 4.2.2, and the other lists). */
export const listItems = defineTool({
  name: "list_items",
  title: "List comments, reviews, works and more",
  description:
    "One page of a list: comments, replies (cid), reviews or transcript of an item (id), works of a creator (id), a ranking, or posts and products by words (q). list_platforms names each platform's resources and parameters.",
  input: z.strictObject({
    platform: z.string(),
    resource: z.string(),
    id: TextInput,
    cid: TextInput,
    q: TextInput,
    lang: TextInput,
    from: TextInput,
    to: TextInput,
    sort: TextInput,
    by: TextInput,
    freshness: TextInput,
    count: z.number().optional().describe(`Default ${TOOL_DEFAULTS.items}`),
    cursor: CursorInput,
    skip: SkipInput,
    part: PartInput,
  }),
  endpoints: (catalogue) => rowsOf(catalogue, "list_items"),
  run: async ({ skip, part, ...input }, context) => {
    const { platform, resource, ...params } = input;
    const row = rowOf(await catalogueFor(platform, context), "list_items", platform, resource);
    const answer = await askRow(row, params, context);
    const args = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const callOf = (at: object) => ({ tool: "list_items", arguments: { ...args, ...at } });
    const page = answer.data as Partial<ListPage> | null;
    const notes = answer.hint === undefined ? [] : [answer.hint];
    if (page === null || !Array.isArray(page.items)) {
      const rows = page === null ? [] : [recordRow(page, platform, params.id)];
      return { what: `${resource} of ${platform}`, ...rowsFrom(rows, { part }, callOf), notes };
    }
    const of = params.cid ?? params.id ?? "all";
    const all = page.items.map((item) => itemRow(item, { platform, resource, of, prov: page.prov }));
    const within = rowsFrom(all, { skip, part }, callOf);
    const { has_more: more = false, cursor, total } = page;
    const further = more && typeof cursor === "number" && total !== undefined ? total - cursor : 0;
    return {
      what: `${resource} of ${platform}${total === undefined ? "" : `, of ${total} in all`}`,
      ...within,
      notes,
      further: part === undefined ? Math.max(0, further) : 0,
      after: (shown) =>
        part !== undefined
          ? undefined
          : (within.after?.(shown) ?? (more && cursor !== undefined ? callOf({ cursor }) : undefined)),
    };
  },
});

/** A page, as far as a tool relies on it. */
interface ListPage {
  readonly items: readonly unknown[];
  readonly cursor?: number | string;
  readonly has_more?: boolean;
  readonly total?: number;
  readonly prov?: unknown;
}
