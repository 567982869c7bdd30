import { z } from "zod";
import { PricePath, pageOf, RawRecord, Review, rankEntry } from "../answer-shapes.js";
import { rawEndpoint } from "./raw-endpoint.js";
import { listParams, PlatformId, pricePathParams, rankingParams, recordsParams } from "./shared-fields.js";

const GROUP = "global-marketplace";

/** Global marketplace. All assumed. */
export const GLOBAL_MARKETPLACE_ROWS = [
  rawEndpoint(GROUP, "global-marketplace", "product", {
    operation: "detail",
    options: { resource: "product", id: "product_id" },
    summary: "One product.",
    params: z.strictObject({ product_id: PlatformId }),
    data: RawRecord.nullable(),
    example: { product_id: "sku-1" },
  }),
  rawEndpoint(GROUP, "global-marketplace", "products", {
    operation: "records",
    summary: "Products, by words, language and window of capture.",
    params: recordsParams(["captured", "price", "drop_7d", "rating", "reviews", "bsr"]),
    data: pageOf(RawRecord),
    example: { count: 10 },
  }),
  rawEndpoint(GROUP, "global-marketplace", "reviews", {
    operation: "list",
    options: { resource: "review", parent: "product_id" },
    summary: "Reviews of a product, page by page.",
    params: listParams({ product_id: PlatformId }),
    data: pageOf(Review),
    example: { product_id: "sku-1" },
  }),
  rawEndpoint(GROUP, "global-marketplace", "price-path", {
    operation: "price-path",
    options: { id: "product_id" },
    summary: "Price of a product over time.",
    params: pricePathParams({ product_id: PlatformId }),
    data: PricePath.nullable(),
    example: { product_id: "sku-1" },
  }),
  rawEndpoint(GROUP, "global-marketplace", "ranking", {
    operation: "ranking",
    summary: "Products, best first.",
    params: rankingParams(["bsr", "reviews", "rating", "monthly_sales"]),
    data: pageOf(rankEntry(RawRecord)),
    example: { freshness: "90d", count: 10 },
  }),
] as const;
