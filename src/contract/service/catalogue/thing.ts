import type { z } from "zod";
import { ItemId, PlatformId } from "./shared-fields.js";

/** A kind of platform item: its name, its resource, and the parameter that identifies one. */
export interface Thing {
  /** Name in paths and texts: `video`. */
  readonly name: string;
  /** Resource of its raw items. */
  readonly stored: string;
  /** Parameter with the id: `video_id`. */
  readonly param: string;
  /** Schema of that parameter. */
  readonly id: z.ZodType<string>;
  /** Sample id in the platform's format, for the documentation. */
  readonly example: string;
}

/** A short video, identified by the platform's numeric id (service.md section 4.2.1). */
export const SHORT_VIDEO = {
  name: "video",
  stored: "video",
  param: "item_id",
  id: ItemId,
  example: "7301234567890123456",
} as const satisfies Thing;

/** A video of a platform with ids of unknown shape. */
export const VIDEO = thing("video", "video_id", "v1");
export const POST = thing("post", "post_id", "p1");
export const NOTE = { ...thing("note", "note_id", "n1"), stored: "post" } as const;
export const PRODUCT = thing("product", "product_id", "sku-1");
export const LISTING = thing("listing", "listing_id", "l1");
export const ARTICLE = thing("article", "article_id", "a1");
export const CAMPAIGN = thing("campaign", "campaign_id", "b1");
export const BRAND = thing("brand", "brand_id", "b1");
export const CREATOR = thing("creator", "creator_id", "creator-1");

function thing<const Name extends string, const Param extends string>(
  name: Name,
  param: Param,
  example: string,
) {
  return { name, stored: name as string, param, id: PlatformId, example } as const satisfies Thing;
}

/** The id parameter as the shape of a schema. */
export function idOf<T extends Thing>({ param, id }: T): { [K in T["param"]]: T["id"] } {
  return { [param]: id } as { [K in T["param"]]: T["id"] };
}

/** The id parameter with its sample value. */
export function exampleOf({ param, example }: Thing): Record<string, string> {
  return { [param]: example };
}
