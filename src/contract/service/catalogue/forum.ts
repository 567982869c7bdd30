import { z } from "zod";
import { pageOf, RawRecord } from "../answer-shapes.js";
import { Comment } from "../raw.js";
import { rawEndpoint } from "./raw-endpoint.js";
import { listParams, PlatformId, recordsParams } from "./shared-fields.js";

const GROUP = "forum";

/** Forum platform. All assumed. */
export const FORUM_ROWS = [
  rawEndpoint(GROUP, "forum", "post", {
    operation: "detail",
    options: { resource: "post", id: "post_id" },
    summary: "One post.",
    params: z.strictObject({ post_id: PlatformId }),
    data: RawRecord.nullable(),
    example: { post_id: "p1" },
  }),
  rawEndpoint(GROUP, "forum", "posts", {
    operation: "records",
    summary: "Posts, by words, language and window of capture.",
    params: recordsParams(["captured", "likes", "comments", "views"]),
    data: pageOf(RawRecord),
    example: { count: 10 },
  }),
  rawEndpoint(GROUP, "forum", "comments", {
    operation: "list",
    options: { resource: "comment", parent: "post_id", top_level: true },
    summary: "Comments of a post, page by page; the number of replies to each.",
    params: listParams({ post_id: PlatformId }),
    data: pageOf(Comment),
    example: { post_id: "p1" },
  }),
  rawEndpoint(GROUP, "forum", "replies", {
    operation: "list",
    options: { resource: "comment", parent: "post_id", reply_to: "cid", sort: "old" },
    summary: "Replies to a comment, page by page, oldest first.",
    params: listParams({ post_id: PlatformId, cid: PlatformId }),
    data: pageOf(Comment),
    example: { post_id: "p1", cid: "c1" },
  }),
] as const;
