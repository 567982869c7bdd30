import { z } from "zod";
import { CreatorProfile, pageOf, RawRecord, rankEntry } from "../answer-shapes.js";
import { Comment } from "../raw.js";
import { rawEndpoint } from "./raw-endpoint.js";
import { listParams, PlatformId, rankingParams } from "./shared-fields.js";

const GROUP = "international-short-video";

/** International short-video platform. All assumed. */
export const INTERNATIONAL_SHORT_VIDEO_ROWS = [
  rawEndpoint(GROUP, "intl-short-video", "video", {
    operation: "detail",
    options: { resource: "video", id: "video_id" },
    summary: "One video.",
    params: z.strictObject({ video_id: PlatformId }),
    data: RawRecord.nullable(),
    example: { video_id: "v1" },
  }),
  rawEndpoint(GROUP, "intl-short-video", "comments", {
    operation: "list",
    options: { resource: "comment", parent: "video_id", top_level: true },
    summary: "Comments of a video, page by page; the number of replies to each.",
    params: listParams({ video_id: PlatformId }),
    data: pageOf(Comment),
    example: { video_id: "v1" },
  }),
  rawEndpoint(GROUP, "intl-short-video", "creator", {
    operation: "creator",
    options: { id: "creator_id", works: "video" },
    summary: "Profile of a creator.",
    params: z.strictObject({ creator_id: PlatformId }),
    data: CreatorProfile.nullable(),
    example: { creator_id: "creator-1" },
  }),
  rawEndpoint(GROUP, "intl-short-video", "ranking", {
    operation: "ranking",
    summary: "Videos, best first.",
    params: rankingParams(["plays", "likes", "comments", "shares"]),
    data: pageOf(rankEntry(RawRecord)),
    example: { freshness: "90d", count: 10 },
  }),
] as const;
