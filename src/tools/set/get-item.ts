import { z } from "zod";
import { UsageError } from "../../contract/errors.js";
import type { EndpointSpec } from "../../contract/service/endpoint.js";
import { PLATFORMS } from "../../contract/service/platforms.js";
import { citationIn } from "../citation.js";
import { recordRow, rowsFrom } from "../cited-rows.js";
import { askRow, catalogueFor, DIRECTORY, rowOf, rowsOf } from "../endpoints.js";
import { defineTool, type ToolContext } from "../tool.js";
import { PartInput, TextInput } from "./shared-input.js";

const RECORD_ID = /^(?:soc|eco|web)_([a-z0-9]{3})_(\S+)$/;

/** Gets one thing by its id (service.md section 4.2.1, and the other resources with one item). */
export const getItem = defineTool({
  name: "get_item",
  title: "Get one item",
  description:
    "One post, video, product, article or creator: by the id that search gives, or by the platform's own id with platform and, where it has several, resource.",
  input: z.strictObject({
    id: z.string(),
    platform: TextInput,
    resource: TextInput,
    part: PartInput,
  }),
  endpoints: (catalogue) => rowsOf(catalogue, "get_item"),
  run: async (input, context) => {
    // Models give what they cite by as often as its id.
    const cited = citationIn(input.id);
    const { row, id } = await targetOf({ ...input, ...cited }, context);
    const answer = await askRow(row, { id }, context);
    const rows = answer.data === null ? [] : [recordRow(answer.data, row.platform, id)];
    const { part, ...same } = input;
    const args = Object.fromEntries(Object.entries(same).filter(([, value]) => value !== undefined));
    return {
      what: `${row.resource} of ${row.platform}`,
      ...rowsFrom(rows, { part }, (at) => ({ tool: "get_item", arguments: { ...args, ...at } })),
      notes: answer.hint === undefined ? [] : [answer.hint],
    };
  },
});

/** The row to ask, and the platform's own id. @throws UsageError `unknown_resource`, `missing_platform` */
async function targetOf(
  { id, platform, resource }: { id: string; platform?: string | undefined; resource?: string | undefined },
  context: ToolContext,
): Promise<{ readonly row: EndpointSpec; readonly id: string }> {
  const match = RECORD_ID.exec(id);
  const of = match === null ? platform : ((await slugOf(match[1]!, context)) ?? platform);
  if (of !== undefined)
    return {
      row: rowOf(await catalogueFor(of, context, match?.[0]), "get_item", of, resource),
      id: match === null ? id : match[2]!,
    };
  throw new UsageError("missing_platform", `${id} does not say which platform it is of`, {
    value: id,
    remedy: `Give platform: ${[...new Set(rowsOf(context.catalogue, "get_item").map((row) => row.platform))].join(", ")}.`,
  });
}

/** The platform of a code in record ids: a shipped one, else one that the service's directory knows. */
async function slugOf(code: string, { call }: ToolContext): Promise<string | undefined> {
  const shipped = PLATFORMS.find((platform) => platform.code === code);
  if (shipped !== undefined) return shipped.slug;
  const { data } = await call(DIRECTORY, {});
  const entries = (data ?? []) as readonly { readonly code: string; readonly platform: string }[];
  return entries.find((entry) => entry.code === code)?.platform;
}
