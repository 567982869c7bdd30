import { z } from "zod";
import { formatUsd } from "../../money.js";
import { CreatorGraph, CreatorProfile, pageOf, RawRecord, rankEntry } from "../answer-shapes.js";
import { LIMITS } from "../limits.js";
import { Comment, CommentsPage, RawVideo } from "../raw.js";
import { rawEndpoint } from "./raw-endpoint.js";
import { graphParams, ItemId, listParams, PAGING, PlatformId, rankingParams } from "./shared-fields.js";

const GROUP = "short-video";

/** Two short-video platforms. The first two rows are service.md sections 4.2.1 and 4.2.2; the others are assumed. */
export const SHORT_VIDEO_ROWS = [
  rawEndpoint(GROUP, "short-video", "video", {
    operation: "raw-video",
    price: formatUsd(LIMITS.rawVideoPrice.value),
    capPerSecond: LIMITS.rawVideoCapPerSecond.value,
    freeEligible: true,
    label: "specified",
    summary: "Metadata and engagement metrics of one video.",
    params: z.strictObject({ item_id: ItemId }),
    data: RawVideo.nullable(),
    example: { item_id: "7301234567890123456" },
  }),
  rawEndpoint(GROUP, "short-video", "comments", {
    operation: "raw-comments",
    price: formatUsd(LIMITS.rawCommentsPrice.value),
    label: "specified",
    summary: "Comments of a video, page by page; the number of replies to each.",
    params: z.strictObject({ item_id: ItemId, ...PAGING }),
    data: CommentsPage,
    example: { item_id: "7301234567890123456", count: 20 },
  }),
  rawEndpoint(GROUP, "short-video", "replies", {
    operation: "list",
    options: { resource: "comment", parent: "item_id", reply_to: "cid", sort: "old" },
    summary: "Replies to a comment, page by page, oldest first.",
    params: listParams({ item_id: ItemId, cid: PlatformId }),
    data: pageOf(Comment),
    example: { item_id: "7301234567890123456", cid: "c1" },
  }),
  rawEndpoint(GROUP, "short-video", "creator", {
    operation: "creator",
    options: { id: "creator_id", works: "video" },
    summary: "Profile of a creator.",
    params: z.strictObject({ creator_id: PlatformId }),
    data: CreatorProfile.nullable(),
    example: { creator_id: "creator-1" },
  }),
  rawEndpoint(GROUP, "short-video", "creator-videos", {
    operation: "list",
    options: { resource: "video", author: "creator_id", sort: "new" },
    summary: "Videos of a creator, newest first.",
    params: listParams({ creator_id: PlatformId }),
    data: pageOf(RawRecord),
    example: { creator_id: "creator-1" },
  }),
  rawEndpoint(GROUP, "short-video", "creator-graph", {
    operation: "creator-graph",
    options: { id: "creator_id", works: "video" },
    summary: "Whom a creator is connected to, and how strongly.",
    params: graphParams({ creator_id: PlatformId }),
    data: CreatorGraph.nullable(),
    example: { creator_id: "creator-1" },
  }),
  rawEndpoint(GROUP, "short-video", "ranking", {
    operation: "ranking",
    summary: "Videos, best first.",
    params: rankingParams(["plays", "likes", "comments", "shares", "saves"]),
    data: pageOf(rankEntry(RawRecord)),
    example: { freshness: "90d", count: 10 },
  }),
  rawEndpoint(GROUP, "short-video-lite", "video", {
    operation: "detail",
    options: { resource: "video", id: "item_id" },
    summary: "One video.",
    params: z.strictObject({ item_id: ItemId }),
    data: RawRecord.nullable(),
    example: { item_id: "7401234567890123456" },
  }),
  rawEndpoint(GROUP, "short-video-lite", "comments", {
    operation: "list",
    options: { resource: "comment", parent: "item_id", top_level: true },
    summary: "Comments of a video, page by page; the number of replies to each.",
    params: listParams({ item_id: ItemId }),
    data: pageOf(Comment),
    example: { item_id: "7401234567890123456" },
  }),
  rawEndpoint(GROUP, "short-video-lite", "creator-videos", {
    operation: "list",
    options: { resource: "video", author: "creator_id", sort: "new" },
    summary: "Videos of a creator, newest first.",
    params: listParams({ creator_id: PlatformId }),
    data: pageOf(RawRecord),
    example: { creator_id: "creator-1" },
  }),
] as const;
