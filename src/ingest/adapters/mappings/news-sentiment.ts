import type { MappingDocument } from "../../mapping/form/schema.js";

/**
 * News sentences with sentiment towards the people and organisations they mention (NewsMTSC). Polarity 2, 4, 6 (negative,
 * neutral, positive) becomes −1, 0, 1; the sentence's sentiment is the mean over its targets.
 */
export const NEWS_SENTIMENT: MappingDocument = {
  mapping: 1,
  name: "news-sentiment",
  info: {
    title: "News sentences with sentiment towards their targets",
    licence: "MIT",
    attribution: "F. Hamborg, K. Donnay, NewsMTSC (EACL 2021)",
  },
  sources: [{ name: "sentences", files: ["*.jsonl"], read: { as: "jsonl" } }],
  unread: [{ files: ["readme*", "README*", "LICENSE*"], reason: "not data" }],
  defaults: { platform: "global-news", lang: { value: "en" } },
  rules: [
    {
      from: "sentences",
      record: {
        id: "primary_gid",
        fields: {
          title: { path: "sentence_normalized", required: true },
          "sentiment.score": {
            path: "targets[].polarity",
            map: { "2": -1, "4": 0, "6": 1 },
            reduce: "mean",
            round: 4,
            required: true,
          },
          "sentiment.label": {
            path: "targets[].polarity",
            map: { "2": -1, "4": 0, "6": 1 },
            reduce: "mean",
            bands: [{ below: -0.25, is: "negative" }, { below: 0.25, is: "neutral" }, { is: "positive" }],
          },
          entities: { path: "targets[].mention", unique: true },
          "extra.collection": { path: "primary_gid", match: "^([a-z]+)_" },
        },
      },
    },
  ],
};
