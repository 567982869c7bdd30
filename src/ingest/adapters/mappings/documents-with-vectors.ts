import type { MappingDocument } from "../../mapping/form/schema.js";

/** Texts with downloaded vectors: `id`, `text`, `embedding`, `model`, `lang`, and `metadata` as JSON text with the `source` of each. */
export const DOCUMENTS_WITH_VECTORS: MappingDocument = {
  mapping: 1,
  name: "documents-with-vectors",
  info: {
    title: "Documents with vectors",
    licence: "unknown",
    platforms: [{ slug: "web-docs", domain: "web", code: "doc", name: "Web documents" }],
    vectorModel: "text-embedding-ada-002",
  },
  sources: [{ name: "documents", files: ["*.parquet", "*.jsonl"], parse_json: ["metadata"] }],
  unread: [{ files: ["LICENSE*", "README*"], reason: "not data" }],
  rules: [
    {
      from: "documents",
      record: {
        platform: "web-docs",
        id: "id",
        lang: { path: "lang", language: true },
        fields: {
          title: { path: "metadata.source", match: "([^/]+?)(?:\\.[A-Za-z]{1,5})?$" },
          text: "text",
          "extra.path": "metadata.source",
          "extra.url": { path: "text", match: "\\[View code on GitHub\\]\\((https?://[^)\\s]+)\\)" },
        },
        vector: { path: "embedding", model: "model" },
      },
    },
  ],
};
