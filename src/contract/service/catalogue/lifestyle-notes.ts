import { z } from "zod";
import { CreatorProfile, pageOf, RawRecord } from "../answer-shapes.js";
import { Comment } from "../raw.js";
import { rawEndpoint } from "./raw-endpoint.js";
import { listParams, PlatformId, recordsParams } from "./shared-fields.js";

const GROUP = "lifestyle-notes";

/** Lifestyle-notes platform. All assumed. */
export const LIFESTYLE_NOTES_ROWS = [
  rawEndpoint(GROUP, "lifestyle-notes", "note", {
    operation: "detail",
    options: { resource: "post", id: "note_id" },
    summary: "One note.",
    params: z.strictObject({ note_id: PlatformId }),
    data: RawRecord.nullable(),
    example: { note_id: "n1" },
  }),
  rawEndpoint(GROUP, "lifestyle-notes", "notes", {
    operation: "records",
    summary: "Notes, by words, language and window of capture.",
    params: recordsParams(["captured", "likes", "saves", "comments"]),
    data: pageOf(RawRecord),
    example: { count: 10 },
  }),
  rawEndpoint(GROUP, "lifestyle-notes", "comments", {
    operation: "list",
    options: { resource: "comment", parent: "note_id", top_level: true },
    summary: "Comments of a note, page by page; the number of replies to each.",
    params: listParams({ note_id: PlatformId }),
    data: pageOf(Comment),
    example: { note_id: "n1" },
  }),
  rawEndpoint(GROUP, "lifestyle-notes", "creator", {
    operation: "creator",
    options: { id: "creator_id", works: "post" },
    summary: "Profile of a creator.",
    params: z.strictObject({ creator_id: PlatformId }),
    data: CreatorProfile.nullable(),
    example: { creator_id: "creator-1" },
  }),
] as const;
