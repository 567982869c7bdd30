import { z } from "zod";
import { PricePath, pageOf, RawRecord, Review } from "../answer-shapes.js";
import { rawEndpoint } from "./raw-endpoint.js";
import { listParams, PlatformId, pricePathParams, recordsParams } from "./shared-fields.js";

const GROUP = "sea-marketplace";

/** Southeast-Asia marketplace. All assumed. */
export const SEA_MARKETPLACE_ROWS = [
  rawEndpoint(GROUP, "sea-marketplace", "product", {
    operation: "detail",
    options: { resource: "product", id: "product_id" },
    summary: "One product.",
    params: z.strictObject({ product_id: PlatformId }),
    data: RawRecord.nullable(),
    example: { product_id: "sku-1" },
  }),
  rawEndpoint(GROUP, "sea-marketplace", "products", {
    operation: "records",
    summary: "Products, by words, language and window of capture.",
    params: recordsParams(["captured", "price", "drop_7d", "rating", "sold", "reviews"]),
    data: pageOf(RawRecord),
    example: { count: 10 },
  }),
  rawEndpoint(GROUP, "sea-marketplace", "reviews", {
    operation: "list",
    options: { resource: "review", parent: "product_id" },
    summary: "Reviews of a product, page by page.",
    params: listParams({ product_id: PlatformId }),
    data: pageOf(Review),
    example: { product_id: "sku-1" },
  }),
  rawEndpoint(GROUP, "sea-marketplace", "price-path", {
    operation: "price-path",
    options: { id: "product_id" },
    summary: "Price of a product over time.",
    params: pricePathParams({ product_id: PlatformId }),
    data: PricePath.nullable(),
    example: { product_id: "sku-1" },
  }),
] as const;
