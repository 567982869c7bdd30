import type { MappingDocument } from "../../mapping/form/schema.js";

const AMOUNT = { type: "integer", thousands: "," } as const;

/**
 * Reviews of marketplace products, one per row, with the state of the listing at that time. Rows with one product name are one
 * product. Its numbers are the newest: the maximum of counts that only grow, the last of others.
 */
export const MARKETPLACE_REVIEWS: MappingDocument = {
  mapping: 1,
  name: "marketplace-reviews",
  info: {
    title: "Indonesian marketplace reviews",
    licence: "MIT",
    attribution: "R. Sutoyo et al., PRDECT-ID (2022)",
  },
  sources: [{ name: "reviews", files: ["*.csv"] }],
  unread: [{ files: ["LICENSE*", "*README*"], reason: "not data" }],
  defaults: { platform: "sea-marketplace", lang: { value: "id" } },
  rules: [
    {
      from: "reviews",
      raw: [
        {
          resource: "review",
          id: { hash: ["$"] },
          parent: { hash: ["Product Name"] },
          score: { path: "Customer Rating", required: true },
          data: {
            id: { hash: ["$"] },
            product_id: { hash: ["Product Name"] },
            text: { path: "Customer Review", required: true },
            rating: { path: "Customer Rating", type: "number" },
            sentiment: { path: "Sentiment", map: { Positive: "positive", Negative: "negative" } },
            emotion: { path: "Emotion", case: "lower" },
          },
        },
      ],
      group: {
        by: ["Product Name"],
        fields: {
          category: { first: "Category" },
          location: { first: "Location" },
          price: { last: { path: "Price", ...AMOUNT } },
          rating: { last: { path: "Overall Rating", type: "number" } },
          sold: { max: { path: "Number Sold", ...AMOUNT } },
          reviews: { max: { path: "Total Review", ...AMOUNT } },
          sample: { collect: "Customer Review", limit: 5, unique: true },
          positive: { mean: { path: "Sentiment", map: { Positive: 1, Negative: 0 } }, round: 3 },
        },
        record: {
          id: { hash: ["key[0]"] },
          fields: {
            title: "key[0]",
            review_sample: "sample",
            "price.current": "price",
            "price.currency": { value: "IDR" },
            "metrics.rating": "rating",
            "metrics.sold": "sold",
            "metrics.reviews": "reviews",
            "extra.category": "category",
            "extra.location": "location",
            "extra.positive_share": "positive",
          },
        },
        raw: [{ resource: "product", id: { hash: ["key[0]"] }, score: "sold", base: "record" }],
      },
    },
  ],
};
