import { z } from "zod";
import { JsonObject } from "../../json.js";
import {
  CreatorGraph,
  CreatorProfile,
  PricePath,
  pageOf,
  RawRecord,
  rankEntry,
  Trend,
} from "../answer-shapes.js";
import {
  graphParams,
  listParams,
  PlatformId,
  pricePathParams,
  rankingParams,
  recordsParams,
  trendParams,
} from "../catalogue/shared-fields.js";
import {
  CreatorGraphOptions,
  CreatorOptions,
  DetailOptions,
  ListOptions,
  type Operation,
  PricePathOptions,
  RecordSort,
  TrendOptions,
} from "../operations.js";
import { rawShape } from "../raw-shapes.js";

/** Parameters and data of a row. */
export interface RowShape {
  readonly params: z.ZodObject;
  readonly data: z.ZodType;
}

const SORTS = RecordSort.options.filter((sort) => sort !== "id");

/**
 * Default parameters and data of a row with a generic operation, derived from its options. Undefined for other operations.
 */
export function genericShape(
  operation: Operation,
  options: unknown,
  platform: string | undefined,
): RowShape | undefined {
  const itemOf = (resource: string) => rawShape(platform ?? "", resource) ?? JsonObject;
  switch (operation) {
    case "detail": {
      const { id, resource } = DetailOptions.parse(options);
      return { params: ids(id), data: z.union([itemOf(resource), RawRecord]).nullable() };
    }
    case "list": {
      const { parent, author, reply_to, resource } = ListOptions.parse(options);
      return { params: listParams(ids(parent, author, reply_to).shape), data: pageOf(itemOf(resource)) };
    }
    case "records":
      return { params: recordsParams(SORTS as [RecordSort, ...RecordSort[]]), data: pageOf(RawRecord) };
    case "ranking":
      return {
        params: rankingParams(SORTS as [RecordSort, ...RecordSort[]]),
        data: pageOf(rankEntry(z.union([RawRecord, JsonObject]))),
      };
    case "trend":
      return { params: trendParams(ids(TrendOptions.parse(options).parent).shape), data: Trend.nullable() };
    case "price-path": {
      const { id } = PricePathOptions.parse(options);
      return { params: pricePathParams(ids(id).shape), data: PricePath.nullable() };
    }
    case "creator":
      return { params: ids(CreatorOptions.parse(options).id), data: CreatorProfile.nullable() };
    case "creator-graph": {
      const { id } = CreatorGraphOptions.parse(options);
      return { params: graphParams(ids(id).shape), data: CreatorGraph.nullable() };
    }
    default:
      return undefined;
  }
}

/** Required ids, under the names in the options. */
function ids(...names: readonly (string | undefined)[]) {
  const given = names.filter((name) => name !== undefined);
  return z.strictObject(Object.fromEntries(given.map((name) => [name, PlatformId])));
}
