import { z } from "zod";
import { PricePath, pageOf, RawRecord, Review } from "../answer-shapes.js";
import { rawEndpoint } from "./raw-endpoint.js";
import { listParams, PlatformId, pricePathParams } from "./shared-fields.js";

const GROUP = "travel-marketplace";

/** Travel marketplace. All assumed. */
export const TRAVEL_MARKETPLACE_ROWS = [
  rawEndpoint(GROUP, "travel-marketplace", "listing", {
    operation: "detail",
    options: { resource: "listing", id: "listing_id" },
    summary: "One listing.",
    params: z.strictObject({ listing_id: PlatformId }),
    data: RawRecord.nullable(),
    example: { listing_id: "l1" },
  }),
  rawEndpoint(GROUP, "travel-marketplace", "reviews", {
    operation: "list",
    options: { resource: "review", parent: "listing_id" },
    summary: "Reviews of a listing, page by page.",
    params: listParams({ listing_id: PlatformId }),
    data: pageOf(Review),
    example: { listing_id: "l1" },
  }),
  rawEndpoint(GROUP, "travel-marketplace", "price-path", {
    operation: "price-path",
    options: { id: "listing_id" },
    summary: "Price of a night or ticket over time.",
    params: pricePathParams({ listing_id: PlatformId }),
    data: PricePath.nullable(),
    example: { listing_id: "l1" },
  }),
] as const;
