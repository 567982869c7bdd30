import { checkOptions, optionsSchema } from "../contract/check-options.js";
import { UsageError } from "../contract/errors.js";
import type { Json } from "../contract/json.js";
import { SignalOption } from "../contract/option-schemas.js";
import { type Citation, isProvenance, parseCitation } from "./citation.js";
import { itemIdOf } from "./cited-rows.js";
import { catalogueFor, idParamOf, rowOf, rowsOf } from "./endpoints.js";
import { plainJson } from "./plain-json.js";
import type { ToolClient } from "./tool.js";

/** What a citation leads to. */
export interface Resolved {
  readonly citation: Citation;
  /** The record or item; null if it is no more. */
  readonly record: Json;
  /**
   * Whether it is the very content that was cited: its hash begins as the citation's, or that of the lake's record does, where the platform
   * answers with a structure of its own. False where a remote client cannot tell.
   */
  readonly unchanged: boolean;
}

const OPTIONS = optionsSchema<{ readonly signal?: AbortSignal }>(() => ({ signal: SignalOption.optional() }));

/**
 * Resolves a citation of an answer to its record. A record is one call, an item of a list one for every fifty items before it, each
 * with its price; a lake may be asked for the record's hash besides, by SQL, which is free. `unchanged` compares hashes: for an item it is
 * that of the page, which another page size changes too.
 * @throws UsageError `invalid_citation`, `invalid_options`, `unknown_resource`, `unresolvable_citation` for a platform that has no item to ask for; what a
 * call, and `sql` of a lake, throw
 */
export async function resolveCitation(
  client: ToolClient,
  text: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Resolved> {
  checkOptions(OPTIONS, options, "resolveCitation");
  const citation = parseCitation(text);
  const item = /^([a-z][a-z0-9-]*):(.+):([^:]+)$/.exec(citation.id);
  const record =
    item === null ? await recordOf(client, citation, options) : await itemOf(client, citation, item, options);
  const { prov } = (record ?? {}) as { readonly prov?: unknown };
  const isCited = (hash: string | undefined) => hash?.replace(/^0x/, "").startsWith(citation.hash) === true;
  const unchanged =
    (isProvenance(prov) && isCited(prov.hash)) ||
    (item === null && record !== undefined && isCited(await hashOfRecord(client, citation.id, options)));
  return { citation, record: record ?? null, unchanged };
}

/** A row of the view `records`, with its hash alone. */
interface Hashed {
  readonly prov_hash: string;
}

/** Hash of the record that searches of a lake show; undefined without one, and of a remote client. */
async function hashOfRecord(
  client: ToolClient,
  id: string,
  options: { readonly signal?: AbortSignal },
): Promise<string | undefined> {
  const query = "SELECT prov_hash FROM records WHERE id = ?";
  for await (const [row] of client.sqlStream?.<Hashed>(query, [id], options) ?? []) return row?.prov_hash;
  return undefined;
}

async function recordOf(
  client: ToolClient,
  { platform, id }: Citation,
  options: { readonly signal?: AbortSignal },
): Promise<Json | undefined> {
  const [row] = rowsOf(await catalogueOf(client, { platform, id }, options), "get_item", platform);
  const param = row === undefined ? undefined : idParamOf(row);
  if (row === undefined || param === undefined)
    throw new UsageError("unresolvable_citation", `${platform} has no single item to ask for`, {
      value: id,
      remedy: "Search for its text again, or ask the lake with SQL: SELECT * FROM records WHERE id = …",
    });
  const own = /^(?:soc|eco|web)_[a-z0-9]{3}_(.+)$/.exec(id)?.[1] ?? id;
  const { data } = await client.call(row.id, { [param]: own }, options);
  return data === null ? undefined : plainJson(data);
}

function catalogueOf(
  client: ToolClient,
  cited: Pick<Citation, "platform" | "id">,
  options: { readonly signal?: AbortSignal },
): ReturnType<typeof catalogueFor> {
  const { catalogue } = client;
  const call = (id: string, params: object) => client.call(id, params as never, options);
  return catalogueFor(cited.platform, { catalogue, call }, cited.id);
}

async function itemOf(
  client: ToolClient,
  citation: Citation,
  [, resource, of, id]: RegExpExecArray,
  options: { readonly signal?: AbortSignal },
): Promise<Json | undefined> {
  const { platform } = citation;
  const row = rowOf(await catalogueOf(client, citation, options), "list_items", platform, resource);
  const param = idParamOf(row);
  const parent = param === undefined ? {} : { [param]: of };
  for (let cursor: number | string | undefined; ; ) {
    const { data } = await client.call(row.id, { ...parent, count: 50, cursor }, options);
    const page = data as {
      items?: unknown[];
      cursor?: number | string;
      has_more?: boolean;
      prov?: unknown;
    } | null;
    const found = page?.items?.find((one) => itemIdOf(one) === id);
    if (found !== undefined) return plainJson({ ...(found as object), prov: page?.prov });
    if (page?.has_more !== true || page.cursor === undefined || page.cursor === cursor) return undefined;
    cursor = page.cursor;
  }
}
