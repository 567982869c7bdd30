import type { z } from "zod";
import { ItemId, PlatformId } from "./shared-fields.js";

/** A kind of thing that a platform shows: what it is called, how it is stored, and how a call names one. */
export interface Thing {
  /** Its name in paths and sentences: `video`. */
  readonly name: string;
  /** The resource that records of it are stored under. */
  readonly stored: string;
  /** The parameter that names one: `video_id`. */
  readonly param: string;
  /** Schema of that parameter. */
  readonly id: z.ZodType<string>;
  /** An id as the platform writes it, for the documentation. */
  readonly example: string;
}

/** A short video, named by the platform's numeric id (service.md section 4.2.1). */
export const SHORT_VIDEO = {
  name: "video",
  stored: "video",
  param: "item_id",
  id: ItemId,
  example: "7301234567890123456",
} as const satisfies Thing;

/** A video of a platform whose ids have no known shape. */
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

/** The parameter that names one of a kind of thing, as the shape of a schema. */
export function idOf<T extends Thing>({ param, id }: T): { [K in T["param"]]: T["id"] } {
  return { [param]: id } as { [K in T["param"]]: T["id"] };
}

/** The parameter with its sample id. */
export function exampleOf({ param, example }: Thing): Record<string, string> {
  return { [param]: example };
}
