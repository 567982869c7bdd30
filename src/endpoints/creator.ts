import { CreatorOptions } from "../contract/service/operations.js";
import type { RawItem } from "../contract/slice/slice-item.js";
import { findRaw, findRawPage } from "./find-raw.js";
import { type GenericParams, named } from "./generic-params.js";
import type { Handler } from "./handler.js";
import { pageProvenance } from "./page-provenance.js";

/**
 * Returns the profile of a creator: the creator's raw item, or else the author of the creator's newest work; null if the
 * corpus has neither.
 */
export const creator: Handler<GenericParams> = async (params, context) => {
  const { corpus, endpoint } = context;
  const options = CreatorOptions.parse(endpoint.options);
  const platform = endpoint.platform!;
  const id = named(params, options.id) ?? "";
  const [item, works] = await Promise.all([
    findRaw(corpus, platform, options.resource, id),
    options.works === undefined
      ? { items: [], total: 0 }
      : findRawPage(corpus, {
          platform,
          resource: options.works,
          author: id,
          orderBy: "created",
          descending: true,
          offset: 0,
          limit: 1,
        }),
  ]);
  const known = item ?? works.items[0];
  if (known === undefined) return { data: null, empty: true };
  const profile = { creator_id: id, ...(item === undefined ? authorOf(known) : item.data) };
  const data = {
    ...profile,
    items_held: works.total,
    prov: pageProvenance([known], [profile], context),
  };
  return { data, empty: false };
};

/** Returns the author fields of a work; empty if it has none. */
export function authorOf(item: RawItem): Record<string, unknown> {
  const { author } = item.data;
  return typeof author === "object" && author !== null && !Array.isArray(author) ? { ...author } : {};
}
