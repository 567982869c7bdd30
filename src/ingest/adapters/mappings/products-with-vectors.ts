import type { MappingDocument } from "../../mapping/form/schema.js";

/**
 * Products with downloaded vectors: `id`, `embedding`, `model`, `lang`, and `metadata` as JSON text with `Name`, `Description`,
 * `Price`, `Brand`, `Type`. The source states no currency; US dollars are assumed.
 */
export const PRODUCTS_WITH_VECTORS: MappingDocument = {
  mapping: 1,
  name: "products-with-vectors",
  info: { title: "Products with vectors", licence: "unknown", vectorModel: "text-embedding-ada-002" },
  sources: [{ name: "products", files: ["*.parquet"], read: { as: "parquet" }, parse_json: ["metadata"] }],
  unread: [
    { files: ["ground_truth.jsonl"], reason: "questions and answers, not products" },
    { files: ["LICENSE*", "README*"], reason: "not data" },
  ],
  rules: [
    {
      from: "products",
      record: {
        platform: "global-marketplace",
        id: "id",
        lang: { path: "lang", language: true },
        fields: {
          title: { path: "metadata.Name", required: true },
          text: "metadata.Description",
          "price.current": { path: "metadata.Price", required: true },
          "price.currency": { value: "USD" },
          "extra.brand": "metadata.Brand",
          "extra.category": "metadata.Type",
        },
        vector: { path: "embedding", model: "model" },
      },
      raw: [
        { resource: "product", id: "id", base: "record" },
        {
          resource: "price",
          id: "id",
          parent: "id",
          created_at: { record: "prov.ts" },
          score: "metadata.Price",
          data: {
            ts: { record: "prov.ts" },
            current: { record: "price.current" },
            currency: { record: "price.currency" },
          },
        },
      ],
    },
  ],
};
