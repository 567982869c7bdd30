import { z } from "zod";
import { CreatorProfile, Danmaku, pageOf, RawRecord, rankEntry, Segment } from "../answer-shapes.js";
import { Comment } from "../raw.js";
import { rawEndpoint } from "./raw-endpoint.js";
import { listParams, PAGING, PlatformId, rankingParams } from "./shared-fields.js";

const GROUP = "video-community";

/** Two video-community platforms. All assumed. */
export const VIDEO_COMMUNITY_ROWS = [
  rawEndpoint(GROUP, "video-community", "video", {
    operation: "detail",
    options: { resource: "video", id: "video_id" },
    summary: "One video.",
    params: z.strictObject({ video_id: PlatformId }),
    data: RawRecord.nullable(),
    example: { video_id: "v1" },
  }),
  rawEndpoint(GROUP, "video-community", "comments", {
    operation: "list",
    options: { resource: "comment", parent: "video_id", top_level: true },
    summary: "Comments of a video, page by page; the number of replies to each.",
    params: listParams({ video_id: PlatformId }),
    data: pageOf(Comment),
    example: { video_id: "v1" },
  }),
  rawEndpoint(GROUP, "video-community", "replies", {
    operation: "list",
    options: { resource: "comment", parent: "video_id", reply_to: "cid", sort: "old" },
    summary: "Replies to a comment, page by page, oldest first.",
    params: listParams({ video_id: PlatformId, cid: PlatformId }),
    data: pageOf(Comment),
    example: { video_id: "v1", cid: "c1" },
  }),
  rawEndpoint(GROUP, "video-community", "danmaku", {
    operation: "list",
    options: { resource: "danmaku", parent: "video_id", sort: "offset" },
    summary: "Timed comments over a video, in the order of their second.",
    params: z.strictObject({ video_id: PlatformId, ...PAGING }),
    data: pageOf(Danmaku),
    example: { video_id: "v1", count: 50 },
  }),
  rawEndpoint(GROUP, "video-community", "creator", {
    operation: "creator",
    options: { id: "creator_id", works: "video" },
    summary: "Profile of a creator.",
    params: z.strictObject({ creator_id: PlatformId }),
    data: CreatorProfile.nullable(),
    example: { creator_id: "creator-1" },
  }),
  rawEndpoint(GROUP, "video-community", "ranking", {
    operation: "ranking",
    summary: "Videos, best first.",
    params: rankingParams(["views", "likes", "comments", "danmaku", "coins", "saves"]),
    data: pageOf(rankEntry(RawRecord)),
    example: { freshness: "90d", count: 10 },
  }),
  rawEndpoint(GROUP, "long-video", "video", {
    operation: "detail",
    options: { resource: "video", id: "video_id" },
    summary: "One video.",
    params: z.strictObject({ video_id: PlatformId }),
    data: RawRecord.nullable(),
    example: { video_id: "v1" },
  }),
  rawEndpoint(GROUP, "long-video", "comments", {
    operation: "list",
    options: { resource: "comment", parent: "video_id", top_level: true },
    summary: "Comments of a video, page by page; the number of replies to each.",
    params: listParams({ video_id: PlatformId }),
    data: pageOf(Comment),
    example: { video_id: "v1" },
  }),
  rawEndpoint(GROUP, "long-video", "transcript", {
    operation: "list",
    options: { resource: "segment", parent: "video_id", sort: "offset" },
    summary: "Timed segments of what is said in a video.",
    params: z.strictObject({ video_id: PlatformId, ...PAGING }),
    data: pageOf(Segment),
    example: { video_id: "v1", count: 50 },
  }),
] as const;
