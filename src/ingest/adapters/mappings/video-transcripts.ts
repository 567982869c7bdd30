import type { MappingDocument } from "../../mapping/form/schema.js";

/**
 * Long videos with a timed transcript. `dur_s` is the start of the last segment, since the source has no length. The record's
 * text is the transcript, or the description if there is none.
 */
export const VIDEO_TRANSCRIPTS: MappingDocument = {
  mapping: 1,
  name: "video-transcripts",
  info: {
    title: "Transcripts of conference talks and shows",
    licence: "MIT",
    attribution: "D. Glover, Semantic Search with OpenAI Embeddings and Functions",
  },
  sources: [{ name: "videos", files: ["*.jsonl"], read: { as: "jsonl" } }],
  unread: [{ files: ["LICENSE*", "README*"], reason: "not data" }],
  defaults: { platform: "long-video" },
  rules: [
    {
      from: "videos",
      record: {
        id: "videoId",
        lang: { detect: ["title", "description", "segments[].text"] },
        fields: {
          title: "title",
          text: { path: ["segments[].text", "description"], join: " " },
          "author.uid_hash": { path: "speaker", author_hash: true },
          "extra.dur_s": { path: "segments[-1].start", round: 0 },
          "extra.channel": "channel",
          "extra.description": "description",
        },
      },
      raw: [
        {
          resource: "video",
          id: "videoId",
          author: { path: "speaker", author_hash: true },
          base: "record",
          data: { "author.nickname": "speaker" },
        },
        {
          resource: "segment",
          each: "segments",
          id: { template: "{^.videoId}:{#}" },
          parent: "^.videoId",
          offset_s: { path: "start", required: true },
          data: {
            id: { template: "{^.videoId}:{#}" },
            text: { path: "text", keep_empty: true },
            offset_s: "start",
            speaker: "^.speaker",
          },
        },
      ],
    },
  ],
};
