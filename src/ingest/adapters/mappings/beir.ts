import type { MappingDocument } from "../../mapping/form/schema.js";

/**
 * Any collection in BEIR format: `corpus.jsonl` with `_id`, `title`, `text`, optionally `metadata` and a language. Record ids
 * end in a hash, since two collections may both number their documents from 1.
 */
export const BEIR: MappingDocument = {
  mapping: 1,
  name: "beir",
  info: {
    title: "Passages of a BEIR collection",
    licence: "unknown",
    platforms: [{ slug: "passages", domain: "web", code: "psg", name: "Passages" }],
  },
  sources: [{ name: "corpus", files: ["corpus.jsonl", "corpus/*.jsonl"], read: { as: "jsonl" } }],
  unread: [
    { files: ["queries.jsonl", "qrels/*"], reason: "questions and judgments, not documents" },
    { files: ["cran*"], reason: "the same documents in the collection's own format" },
    { files: ["LICENSE*", "README*", "CC-BY*"], reason: "not data" },
  ],
  rules: [
    {
      from: "corpus",
      record: {
        platform: "passages",
        id: { template: "{_id}-{@hash}" },
        lang: { path: ["lang", "language", "metadata.lang"], language: true },
        fields: {
          title: "title",
          text: "text",
          "extra.source_id": { path: "_id", type: "string" },
          "extra.url": { path: ["url", "metadata.url"] },
          "extra.bibliography": "bib",
        },
      },
    },
  ],
};
