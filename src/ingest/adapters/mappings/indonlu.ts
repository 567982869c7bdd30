import type { MappingDocument } from "../../mapping/form/schema.js";

const ASPECTS = { positive: "positive", negative: "negative", neutral: "neutral" } as const;

/** The six Indonesian collections of IndoNLU, each on the platform that fits its content. */
export const INDONLU: MappingDocument = {
  mapping: 1,
  name: "indonlu",
  info: {
    title: "IndoNLU: Indonesian reviews, tweets and news",
    licence: "Apache-2.0",
    attribution: "B. Wilie et al., IndoNLU (AACL 2020)",
  },
  sources: [
    { name: "car_reviews", files: ["casa_absa-prosa/*.csv"] },
    { name: "tweets", files: ["emot_emotion-twitter/*.csv"] },
    { name: "hotel_reviews", files: ["hoasa_absa-airy/*.csv"] },
    {
      name: "opinions",
      files: ["smsa_doc-sentiment-prosa/*.tsv"],
      read: { as: "csv", delimiter: "\t", quote: null, columns: ["text", "sentiment"] },
    },
    {
      name: "tagged_news",
      files: ["nergrit_ner-grit/*.txt"],
      read: { as: "lines" },
      assemble: { as: "bio" },
    },
    { name: "news", files: ["nerp_ner-prosa/*_sentences.jsonl"], read: { as: "jsonl" } },
  ],
  unread: [
    { files: ["nerp_ner-prosa/*_preprocess.txt"], reason: "the same sentences as *_sentences.jsonl" },
    { files: ["LICENSE*", "README*"], reason: "not data" },
  ],
  defaults: { lang: { value: "id" } },
  rules: [
    {
      from: "car_reviews",
      record: {
        platform: "forum",
        fields: {
          text: "sentence",
          "extra.note_type": { value: "review" },
          "extra.topic": { value: "cars" },
          "extra.aspects": {
            columns: ["fuel", "machine", "others", "part", "price", "service"],
            map: ASPECTS,
            absent: ["neutral"],
          },
        },
      },
    },
    {
      from: "tweets",
      record: {
        platform: "microblog",
        fields: {
          text: "tweet",
          "extra.emotion": "label",
        },
      },
    },
    {
      from: "hotel_reviews",
      record: {
        platform: "travel-marketplace",
        id: { hash: ["$"] },
        fields: {
          text: "review",
          "extra.category": { value: "hotel" },
          "extra.aspects": {
            columns: [
              "ac",
              "air_panas",
              "bau",
              "general",
              "kebersihan",
              "linen",
              "service",
              "sunrise_meal",
              "tv",
              "wifi",
            ],
            map: { pos: "positive", neg: "negative", neut: "neutral", neg_pos: "mixed" },
            absent: ["neut"],
          },
        },
      },
      raw: [
        {
          resource: "review",
          id: { hash: ["$"] },
          data: { id: { hash: ["$"] }, text: { record: "text" }, aspects: { record: "extra.aspects" } },
        },
      ],
    },
    {
      from: "opinions",
      record: {
        platform: "forum",
        fields: {
          text: "text",
          "extra.sentiment": { path: "sentiment", map: ASPECTS },
        },
      },
    },
    {
      from: ["tagged_news", "news"],
      record: {
        platform: "global-news",
        id: { hash: ["text", "entities"] },
        fields: {
          title: { path: "text", required: true },
          entities: { path: "entities[].text", unique: true },
        },
      },
    },
  ],
};
