import { z } from "zod";
import { CreatorProfile, pageOf, RawRecord, Trend } from "../answer-shapes.js";
import { Comment } from "../raw.js";
import { rawEndpoint } from "./raw-endpoint.js";
import { listParams, PlatformId, recordsParams, trendParams } from "./shared-fields.js";

const GROUP = "microblog";

/** Microblog platform. All assumed. */
export const MICROBLOG_ROWS = [
  rawEndpoint(GROUP, "microblog", "post", {
    operation: "detail",
    options: { resource: "post", id: "post_id" },
    summary: "One post.",
    params: z.strictObject({ post_id: PlatformId }),
    data: RawRecord.nullable(),
    example: { post_id: "p1" },
  }),
  rawEndpoint(GROUP, "microblog", "posts", {
    operation: "records",
    summary: "Posts, by words, language and window of capture.",
    params: recordsParams(["captured", "likes", "comments", "shares"]),
    data: pageOf(RawRecord),
    example: { count: 10 },
  }),
  rawEndpoint(GROUP, "microblog", "comments", {
    operation: "list",
    options: { resource: "comment", parent: "post_id", top_level: true },
    summary: "Comments of a post, page by page; the number of replies to each.",
    params: listParams({ post_id: PlatformId }),
    data: pageOf(Comment),
    example: { post_id: "p1" },
  }),
  rawEndpoint(GROUP, "microblog", "replies", {
    operation: "list",
    options: { resource: "comment", parent: "post_id", reply_to: "cid", sort: "old" },
    summary: "Replies to a comment, page by page, oldest first.",
    params: listParams({ post_id: PlatformId, cid: PlatformId }),
    data: pageOf(Comment),
    example: { post_id: "p1", cid: "c1" },
  }),
  rawEndpoint(GROUP, "microblog", "creator", {
    operation: "creator",
    options: { id: "creator_id", works: "post" },
    summary: "Profile of a creator.",
    params: z.strictObject({ creator_id: PlatformId }),
    data: CreatorProfile.nullable(),
    example: { creator_id: "creator-1" },
  }),
  rawEndpoint(GROUP, "microblog", "trend", {
    operation: "trend",
    options: { resource: "post" },
    summary: "How many posts there were over time, by words.",
    params: trendParams({}),
    data: Trend.nullable(),
    example: { unit: "day" },
  }),
] as const;
